import { GatewayError, createRedactor, type Clock, type ErrorCode, type GatewayErrorOptions } from "@trunkline/plugin-sdk";
import type { TimeoutPhase } from "./deadlines.ts";
import type { HttpHeaders } from "./http.ts";
import { hintForNetwork } from "./network-hint.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Longest excerpt of a provider's own words in `detail.body`, in characters. */
const BODY_EXCERPT = 500;

/** Errors of the calls of one provider and model. The provider's own words go to `detail.body` only, shortened, without secrets. */
export interface ProviderErrors {
  /** No key may be tried now. `code` is why the one that is free first was refused. */
  coolingDown(code: ErrorCode, ms: number): GatewayError;
  /** An HTTP status that is not 2xx. */
  refused(status: number, headers: HttpHeaders, body: string): GatewayError;
  /** An error object inside an answer that began well; `status` when the object does not say one. */
  inAnswer(error: unknown, status?: number): GatewayError;
  /** What was asked cannot be put into words for this provider. */
  unsayable(cause: unknown): GatewayError;
  network(cause: unknown, phase: TimeoutPhase): GatewayError;
  timeout(phase: TimeoutPhase, ms: number): GatewayError;
  /** The answer stopped before its end. */
  cut(): GatewayError;
  /** The answer is not what the protocol says. `body` only where it cannot be the model's text. */
  unreadable(reason: string, body?: string): GatewayError;
}

/** Texts by which servers say that the prompt does not fit; several use 400, some 413, 422 or 500 for it. */
const OVERFLOW =
  /context[_ ](?:length|window|size|limit)|maximum context|prompt (?:is )?too long|input (?:is )?too long|too many (?:input |prompt )?tokens|reduce the length|exceeds? the maximum number of tokens|maximum prompt length|exceeded model token limit/i;
const UNKNOWN_MODEL = /model_not_found|not a valid model|(?:no such|unknown) model|model\b[^.]{0,80}(?:not found|does not exist)/i;
const BAD_KEY = /api[_ ]key[_ ](?:is )?(?:not valid|invalid|expired)|(?:invalid|incorrect) api[_ ]key/i;
const MODERATED = /content[_ ](?:filter|policy)|moderation|flagged/i;
/** Not the sentence about quota, which Google also sends for a rate limit: the code; and Anthropic's sentence, which comes with a 400. */
const NO_CREDIT = /"insufficient_quota"|"billing_error"|credit balance is too low/i;
const NO_KEY_HINT = "The provider wants a key, and none is set: add apiKey to the provider in the configuration.";

/** Creates the errors for one call. `secrets` are blanked in what the provider says. */
export function createProviderErrors(scope: { provider: string; model: string; secrets: readonly string[]; clock: Clock }): ProviderErrors {
  const model = `${scope.provider}/${scope.model}`;
  const make = (code: ErrorCode, options: GatewayErrorOptions = {}): GatewayError =>
    new GatewayError(code, { ...options, detail: { provider: scope.provider, model, ...options.detail } });
  const excerpt = (body: string): string => {
    const redactor = createRedactor();
    for (const secret of scope.secrets) redactor.add(secret);
    return redactor.text(body).slice(0, BODY_EXCERPT);
  };
  const refused = (status: number, headers: HttpHeaders, body: string): GatewayError => {
    const verdict = judgeStatus(status, body);
    const hint = verdict.code === "MODEL_AUTH" && scope.secrets.every((secret) => secret === "") ? NO_KEY_HINT : verdict.hint;
    const wait = verdict.retryable ? (retryAfterMs(headers, scope.clock.now()) ?? retryDelayMs(body)) : undefined;
    return make(verdict.code, {
      detail: { status, body: excerpt(body) },
      retryable: verdict.retryable,
      ...(hint === undefined ? {} : { hint }),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
  };
  return {
    refused,
    coolingDown: (code, ms) =>
      make(code, { detail: { coolingDown: true }, retryable: code !== "MODEL_AUTH" && code !== "MODEL_BILLING", retryAfterMs: ms }),
    inAnswer: (error, status = 500) => refused(statusOf(error) ?? status, {}, JSON.stringify(error) ?? ""),
    unsayable: (cause) =>
      make("MODEL_BAD_REQUEST", { cause, hint: "Check params of the model in the configuration; the log has what is wrong with them." }),
    network: (cause, phase) => make("MODEL_NETWORK", { cause, detail: { phase }, ...hintForNetwork(cause, phase) }),
    timeout: (phase, ms) => make("MODEL_TIMEOUT", { detail: { limit: phase, ms }, retryable: true }),
    cut: () =>
      make("MODEL_NETWORK", {
        detail: { phase: "answer" },
        retryable: true,
        hint: "The answer broke off before its end. Try again; look at the server's log if it happens often.",
      }),
    unreadable: (reason, body) =>
      make("MODEL_BAD_RESPONSE", { detail: { reason, ...(body === undefined ? {} : { body: excerpt(body) }) } }),
  };
}

interface Verdict {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly hint?: string;
}

/** What a status means. Known texts of the body decide where servers use one status for several things. */
function judgeStatus(status: number, body: string): Verdict {
  const no = (code: ErrorCode, hint?: string): Verdict => ({ code, retryable: false, ...(hint === undefined ? {} : { hint }) });
  const yes = (code: ErrorCode): Verdict => ({ code, retryable: true });
  if (status === 402 || NO_CREDIT.test(body)) return no("MODEL_BILLING");
  if (status === 429) return yes("MODEL_RATE_LIMITED");
  if (status === 403 && MODERATED.test(body)) return no("MODEL_REFUSED");
  if (status === 401 || status === 403) return no("MODEL_AUTH");
  if (status === 404) return no("MODEL_UNKNOWN", "Check the model's name, and that baseUrl is the API's address (it usually ends in /v1).");
  if (status === 408) return yes("MODEL_TIMEOUT");
  if (status === 413 || OVERFLOW.test(body)) return no("MODEL_CONTEXT_OVERFLOW");
  if (status >= 300 && status < 400) {
    return no(
      "MODEL_BAD_RESPONSE",
      "The server redirects. Redirects are not followed, so that the key goes nowhere else: set baseUrl to the final address.",
    );
  }
  if (status >= 400 && status < 500) {
    if (BAD_KEY.test(body)) return no("MODEL_AUTH");
    if (UNKNOWN_MODEL.test(body)) return no("MODEL_UNKNOWN");
    return no(MODERATED.test(body) ? "MODEL_REFUSED" : "MODEL_BAD_REQUEST");
  }
  // A gateway in front of the server says that it cannot reach it: 502, 504, and 520 to 527 of Cloudflare.
  const unreachable = status === 502 || status === 504 || (status >= 520 && status <= 527);
  return yes(unreachable ? "MODEL_NETWORK" : "MODEL_OVERLOADED");
}

/** The status that an error object stands for. OpenRouter and Google give the number; others a word. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, type, status } = error as { code?: unknown; type?: unknown; status?: unknown };
  for (const value of [code, status]) {
    const number = Number(value);
    if (number >= 400 && number < 600) return number;
  }
  const words = [code, type, status].map((value) => (typeof value === "string" ? value.toLowerCase() : "")).join(" ");
  return STATUS_WORDS.find(([word]) => word.test(words))?.[1];
}

/** Error types of OpenAI and Anthropic, and Google's canonical codes. */
const STATUS_WORDS: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|resource_exhausted/, 429],
  [/overloaded|unavailable/, 529],
  [/authentication|permission|invalid_api_key|unauthenticated/, 401],
  [/not_found/, 404],
  [/request_too_large/, 413],
  [/timeout|deadline_exceeded/, 408],
  [/invalid_request|bad_?request|invalid_argument|context_length/, 400],
];

/** Google says in the body how long to wait. Source: google.rpc.RetryInfo, `"retryDelay": "37s"`. */
function retryDelayMs(body: string): number | undefined {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,5}(?:\.\d{1,9})?)s"/.exec(body) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
