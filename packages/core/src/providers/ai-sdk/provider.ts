import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import {
  type Clock,
  GatewayError,
  type Logger,
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
} from "@trunkline/plugin-sdk";
import { untilAborted } from "../../lanes/abort.ts";
import { createCalls, type CallTerms } from "../calls.ts";
import { findModel } from "../catalogue.ts";
import { createCredentials } from "../credentials.ts";
import { type CallTimeouts, DEFAULT_TIMEOUTS } from "../deadlines.ts";
import { createHttpPool } from "../http.ts";
import { parseBaseUrl } from "../openai-endpoint.ts";
import { createProviderErrors, type ProviderErrors } from "../provider-errors.ts";
import { createSdkAnswer } from "./answer.ts";
import { anthropic } from "./anthropic.ts";
import { toModelError } from "./errors.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";
import { splitParams } from "./params.ts";
import { toPrompt, toTools } from "./prompt.ts";
import type { Vendor } from "./vendor.ts";
import { createWireFetch } from "./wire-fetch.ts";

export interface AiSdkOptions {
  /** The part before the slash of model references. */
  readonly id: string;
  readonly type: "anthropic" | "openai" | "google";
  /** Address of the API; by default the provider's own. */
  readonly baseUrl?: string;
  /** Several take turns when one is refused or limited. */
  readonly apiKey?: string | readonly string[];
  /** Further headers; they win over ours. Their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<CallTimeouts>;
  /** Address of a proxy. A server on this machine is always reached directly. */
  readonly proxy?: string;
  /** What the configuration knows about models. */
  readonly models?: Readonly<Record<string, ModelInfo>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const VENDORS: Readonly<Record<AiSdkOptions["type"], Vendor>> = { anthropic, openai, google };

/**
 * A provider that speaks Anthropic's, OpenAI's or Google's own protocol, by the AI SDK's package for it. The package is loaded with the
 * first call; connections, deadlines, keys and errors are the same as for any other provider.
 * Throws CONFIG_INVALID for an unusable `baseUrl`.
 */
export function createAiSdkProvider(options: AiSdkOptions): ModelProvider {
  const vendor = VENDORS[options.type];
  const { url, local } = parseBaseUrl(options.id, options.baseUrl ?? vendor.baseUrl);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const keys = [options.apiKey ?? []].flat();
  const headers = options.headers ?? {};
  const secrets = [...keys.map((key) => key.trim()), ...Object.values(headers)];
  const direct = options.proxy === undefined || options.proxy === "" || local;
  const pool = createHttpPool({ origin: url.origin, connectMs: timeouts.connectMs, ...(direct ? {} : { proxy: options.proxy ?? "" }) });
  const about = (model: string) => findModel(options.type, model, options.models);
  const errors = (model: string) => createProviderErrors({ provider: options.id, model, secrets, clock: options.clock });
  const baseURL = url.href.replace(/\/+$/, "");
  let loaded: ReturnType<Vendor["load"]> | undefined;
  const calls = createCalls({
    id: options.id,
    credentials: createCredentials(keys, options.clock),
    logger: options.logger,
    about,
    errors,
    async *call(request, terms) {
      const create = await untilAborted((loaded ??= vendor.load()), request.signal);
      const failures = errors(request.model);
      const fetch = createWireFetch({ pool, timeouts, clock: options.clock, signal: request.signal, errors: failures, headers });
      const model = create({ apiKey: terms.key, baseURL, fetch }, request.model);
      yield* streamCall(model, toCallOptions(request, terms, vendor, about(request.model)), failures, request.signal);
    },
  });
  return { id: options.id, stream: calls.stream, about, unavailable: calls.unavailable, close: () => pool.close() };
}

function toCallOptions(
  request: ModelRequest,
  { thinking }: CallTerms,
  vendor: Vendor,
  info: ReturnType<typeof findModel>,
): Parameters<LanguageModelV3["doStream"]>[0] {
  const { common, own } = splitParams(request.params);
  return {
    ...vendor.limits?.(info),
    ...common,
    ...toTools(request.tools),
    prompt: toPrompt(request.messages),
    providerOptions: { [vendor.name]: { ...vendor.options(request.model, thinking, info), ...own } },
  };
}

async function* streamCall(
  model: LanguageModelV3,
  options: Parameters<LanguageModelV3["doStream"]>[0],
  errors: ProviderErrors,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const answer = createSdkAnswer(errors);
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
  try {
    reader = (await untilAborted(Promise.resolve(model.doStream(options)), signal)).stream.getReader();
    while (!answer.over) {
      const next = await untilAborted(reader.read(), signal);
      if (next.done) break;
      yield* orThrow(answer.take(next.value));
    }
    yield* orThrow(answer.close());
  } catch (error) {
    signal.throwIfAborted();
    throw toModelError(error, errors);
  } finally {
    // Not awaited: what is left of the answer is nobody's concern.
    reader?.cancel().catch(() => {});
  }
}

function orThrow(events: readonly ModelEvent[] | GatewayError): readonly ModelEvent[] {
  if (events instanceof GatewayError) throw events;
  return events;
}
