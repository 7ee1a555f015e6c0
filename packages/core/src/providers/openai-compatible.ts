import {
  GatewayError,
  type Clock,
  type Logger,
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  silentLogger,
} from "@trunkline/plugin-sdk";
import { createCalls, type CallTerms } from "./calls.ts";
import { findModel } from "./catalogue.ts";
import { createCredentials } from "./credentials.ts";
import { type CallTimeouts, DEFAULT_TIMEOUTS } from "./deadlines.ts";
import { readErrorBody } from "./error-body.ts";
import { createHttpPool, type HttpPool } from "./http.ts";
import { createAnswer, type Answer } from "./openai-answer.ts";
import { createBodyReader, type BodyItem } from "./openai-body.ts";
import { parseEndpoint } from "./openai-endpoint.ts";
import { createProviderErrors, type ProviderErrors } from "./provider-errors.ts";
import { toWireBody, toWireThinking } from "./openai-wire.ts";
import { openResponse, type Response } from "./response.ts";

export interface OpenAiCompatibleOptions {
  /** The part before the slash of model references. */
  readonly id: string;
  /** Address of the API, usually ending in /v1; `/chat/completions` is added. A query (Azure's api-version) is kept. */
  readonly baseUrl: string;
  /** Sent as a bearer token. Several take turns when one is refused or limited. */
  readonly apiKey?: string | readonly string[];
  /** Further headers; they win over ours. Their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<CallTimeouts>;
  /** Address of a proxy. A server on this machine is always reached directly. */
  readonly proxy?: string;
  /** What the configuration knows about models. */
  readonly models?: Readonly<Record<string, ModelInfo>>;
  readonly clock: Clock;
  readonly logger?: Logger;
}

/** How long a complete answer waits for the usage that comes after it, in ms. */
const TAIL_MS = 2_000;

/**
 * A provider that speaks the OpenAI chat completions protocol, streamed: OpenAI, OpenRouter, Ollama, vLLM, llama.cpp and others.
 * It never repeats a call by itself; `retryable` of the error says whether that may help.
 * Throws CONFIG_INVALID for an unusable `baseUrl`.
 */
export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): ModelProvider {
  const endpoint = parseEndpoint(options.id, options.baseUrl);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const keys = [options.apiKey ?? []].flat();
  const direct = options.proxy === undefined || options.proxy === "" || endpoint.local;
  const pool = createHttpPool({
    origin: endpoint.origin,
    connectMs: timeouts.connectMs,
    ...(direct ? {} : { proxy: options.proxy ?? "" }),
  });
  const secrets = [...keys.map((key) => key.trim()), ...Object.values(options.headers ?? {})];
  const about = (model: string) => findModel("openai-compatible", model, options.models);
  const errors = (model: string) => createProviderErrors({ provider: options.id, model, secrets, clock: options.clock });
  const settings: CallSettings = { pool, path: endpoint.path, timeouts, clock: options.clock, errors };
  const calls = createCalls({
    id: options.id,
    credentials: createCredentials(keys, options.clock),
    logger: options.logger ?? silentLogger,
    about,
    errors,
    call: (request, terms) =>
      streamCall(settings, request, toHeaders(terms.key, options.headers ?? {}), wordsFor(terms, about(request.model))),
  });
  return { id: options.id, stream: calls.stream, about, unavailable: calls.unavailable, close: () => pool.close() };
}

function wordsFor({ thinking }: CallTerms, info: ModelInfo | undefined): ReturnType<typeof toWireThinking> {
  return toWireThinking(thinking, info?.thinking === "binary");
}

interface CallSettings {
  readonly pool: HttpPool;
  readonly path: string;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  errors(model: string): ProviderErrors;
}

async function* streamCall(
  { pool, path, timeouts, clock, errors: errorsOf }: CallSettings,
  request: ModelRequest,
  headers: Readonly<Record<string, string>>,
  thinking: ReturnType<typeof toWireThinking>,
): AsyncGenerator<ModelEvent> {
  const errors = errorsOf(request.model);
  const body = toWireBody(request, thinking);
  const response = openResponse({ pool, path, headers, timeouts, clock, errors, body, signal: request.signal });
  // Unique within a transcript, which grows with every step.
  const answer = createAnswer(`call_${request.messages.length}`);
  let whole = false;
  try {
    const head = await response.head();
    if (head.status < 200 || head.status > 299)
      throw errors.refused(head.status, head.headers, await readErrorBody(response, request.signal));
    yield* readAnswer(response, answer, errors, request.signal);
    whole = !answer.full;
    for (const event of answer.close()) {
      if (event.type === "tool-call" && event.call.name === "") throw errors.unreadable("a tool call without a name");
      yield event;
    }
  } finally {
    response.close(whole);
  }
}

/** Yields the text and reasoning of an answer until it is whole or full; throws when it fails before that. */
async function* readAnswer(response: Response, answer: Answer, errors: ProviderErrors, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const body = createBodyReader();
  let received = 0;
  for (;;) {
    const chunk = await nextChunk(response, answer, signal);
    received += chunk?.length ?? 0;
    const events: ModelEvent[] = [];
    const last = takeItems(chunk === undefined ? body.end() : body.read(chunk), answer, events, errors);
    for (const event of events) yield event;
    if (last instanceof GatewayError) throw last;
    if (answer.full || (last === "done" && answer.finish !== undefined)) return;
    if (chunk === undefined || last === "done") break;
    // The answer is whole, and only its usage may follow.
    if (answer.finish !== undefined) response.hurry(TAIL_MS);
  }
  if (answer.finish !== undefined || (body.plain && answer.recognised)) return;
  throw received > 0 && !body.plain && !answer.recognised ? errors.unreadable("a body without a single event of an answer") : errors.cut();
}

/** The next piece; nothing that breaks after a whole answer takes it away, except the caller's own abort. */
async function nextChunk(response: Response, answer: Answer, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    return await response.next();
  } catch (error) {
    if (answer.finish === undefined || signal.aborted) throw error;
    return undefined;
  }
}

/** Adds the items to the answer up to its end or an error. */
function takeItems(
  items: readonly BodyItem[],
  answer: Answer,
  events: ModelEvent[],
  errors: ProviderErrors,
): "more" | "done" | GatewayError {
  for (const item of items) {
    if (answer.full) return "done";
    if (item.type === "done") return "done";
    if (item.type === "piece") answer.add(item.piece, events);
    else if (answer.finish === undefined)
      return item.type === "error" ? errors.inAnswer(item.error) : errors.unreadable(item.reason, item.body);
    if (answer.finish === "error" || answer.finish === "insufficient_system_resource") return errors.inAnswer({ code: 503 });
    if (answer.finish === "abort") return errors.cut();
  }
  return "more";
}

function toHeaders(apiKey: string, extra: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { accept: "text/event-stream", "content-type": "application/json", "user-agent": "trunkline" };
  if (apiKey !== "") headers["authorization"] = `Bearer ${apiKey}`;
  for (const [name, value] of Object.entries(extra)) headers[name.toLowerCase()] = value;
  return headers;
}
