import { GatewayError, type Clock, type ModelEvent, type ModelProvider, type ModelRequest } from "@trunkline/plugin-sdk";
import type { CallTimeouts } from "./deadlines.ts";
import { createHttpPool, type HttpPool } from "./http.ts";
import { createAnswer, type Answer } from "./openai-answer.ts";
import { createBodyReader, type BodyItem } from "./openai-body.ts";
import { parseEndpoint } from "./openai-endpoint.ts";
import { createProviderErrors, type ProviderErrors } from "./openai-errors.ts";
import { toWireBody } from "./openai-wire.ts";
import { openResponse, type Response } from "./response.ts";

export interface OpenAiCompatibleOptions {
  /** The part before the slash of model references. */
  readonly id: string;
  /** Address of the API, usually ending in /v1; `/chat/completions` is added. A query (Azure's api-version) is kept. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Further headers; they win over ours. Their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<CallTimeouts>;
  /** Address of a proxy. A server on this machine is always reached directly. */
  readonly proxy?: string;
  readonly clock: Clock;
}

/** Limits when the configuration names none, in ms. The first byte may take long: a local model reads the prompt first. */
export const DEFAULT_TIMEOUTS: CallTimeouts = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 600_000 };

/** How long a complete answer waits for the usage that comes after it, in ms. */
const TAIL_MS = 2_000;

/** How long the body of an error status is waited for, in ms, and how much of it is read, in bytes. */
const ERROR_BODY_MS = 2_000;
const ERROR_BODY_BYTES = 16 * 1024;

/**
 * A provider that speaks the OpenAI chat completions protocol, streamed: OpenAI, OpenRouter, Ollama, vLLM, llama.cpp and others.
 * It never repeats a call by itself; `retryable` of the error says whether that may help.
 * Throws CONFIG_INVALID for an unusable `baseUrl`.
 */
export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): ModelProvider {
  const endpoint = parseEndpoint(options.id, options.baseUrl);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const apiKey = options.apiKey?.trim() ?? "";
  const direct = options.proxy === undefined || options.proxy === "" || endpoint.local;
  const pool = createHttpPool({
    origin: endpoint.origin,
    connectMs: timeouts.connectMs,
    ...(direct ? {} : { proxy: options.proxy ?? "" }),
  });
  const secrets = [apiKey, ...Object.values(options.headers ?? {})];
  const call: CallSettings = {
    pool,
    path: endpoint.path,
    headers: toHeaders(apiKey, options.headers ?? {}),
    timeouts,
    clock: options.clock,
    errors: (model) => createProviderErrors({ provider: options.id, model, secrets, clock: options.clock }),
  };
  return { id: options.id, stream: (request) => streamCall(call, request), close: () => pool.close() };
}

interface CallSettings {
  readonly pool: HttpPool;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  errors(model: string): ProviderErrors;
}

async function* streamCall(call: CallSettings, request: ModelRequest): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  const errors = call.errors(request.model);
  const { pool, path, headers, timeouts, clock } = call;
  const response = openResponse({ pool, path, headers, timeouts, clock, errors, body: toWireBody(request), signal: request.signal });
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

/** What there is of an error's body; a body that does not come must not hide the status. */
async function readErrorBody(response: Response, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  response.hurry(ERROR_BODY_MS);
  try {
    for (let chunk = await response.next(); chunk !== undefined && size < ERROR_BODY_BYTES; chunk = await response.next()) {
      chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
  return Buffer.concat(chunks).subarray(0, ERROR_BODY_BYTES).toString("utf8");
}

function toHeaders(apiKey: string, extra: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { accept: "text/event-stream", "content-type": "application/json", "user-agent": "trunkline" };
  if (apiKey !== "") headers["authorization"] = `Bearer ${apiKey}`;
  for (const [name, value] of Object.entries(extra)) headers[name.toLowerCase()] = value;
  return headers;
}
