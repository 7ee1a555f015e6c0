import {
  GatewayError,
  isGatewayError,
  type Logger,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type ThinkingLevel,
} from "@trunkline/plugin-sdk";
import type { Credential, Credentials } from "./credentials.ts";
import type { ProviderErrors } from "./provider-errors.ts";
import { createThinkingMemory, fitThinking, supportIn } from "./thinking.ts";

/** What one call of a provider's wire needs besides the request. */
export interface CallTerms {
  /** Empty when the provider wants none. */
  readonly key: string;
  /** A level that the model has; undefined: nothing is said about thinking. */
  readonly thinking: ThinkingLevel | undefined;
}

export interface CallsOptions {
  /** The provider's id, for logs. */
  readonly id: string;
  readonly credentials: Credentials;
  readonly logger: Logger;
  about(model: string): ModelInfo | undefined;
  errors(model: string): ProviderErrors;
  /** One call on the wire. */
  call(request: ModelRequest, terms: CallTerms): AsyncIterable<ModelEvent>;
}

/** The calls of one provider, as the rest of the gateway sees them. */
export interface Calls {
  stream(request: ModelRequest): AsyncGenerator<ModelEvent>;
  unavailable(model: string): GatewayError | undefined;
}

/** Refusals that are about the key: the next one may be taken. */
const ABOUT_THE_KEY = ["MODEL_AUTH", "MODEL_BILLING", "MODEL_RATE_LIMITED"] as const;

/**
 * Puts keys and thinking levels around a wire. A key that is refused gives way to the next, once each; a level that the model turns
 * out not to have is corrected, once. Both only while nothing of an answer was seen.
 */
export function createCalls(options: CallsOptions): Calls {
  const memory = createThinkingMemory();
  const unavailable = (model: string): GatewayError | undefined => {
    const wait = options.credentials.waiting(model);
    return wait === undefined ? undefined : options.errors(model).coolingDown(wait.code, wait.ms);
  };
  return {
    unavailable,
    async *stream(request) {
      const { model } = request;
      const tried = new Set<Credential>();
      let corrected = false;
      let last: GatewayError | undefined;
      for (;;) {
        request.signal.throwIfAborted();
        const credential = options.credentials.take(model, tried);
        if (credential === undefined) throw allRefused(last, unavailable(model));
        const thinking = fitThinking(request.thinking, memory.of(model) ?? options.about(model)?.thinking);
        let streamed = false;
        try {
          for await (const event of options.call(request, { key: credential.key, thinking })) {
            streamed = true;
            yield event;
          }
          options.credentials.answered(credential, model);
          return;
        } catch (error) {
          if (request.signal.aborted || !(error instanceof GatewayError)) throw error;
          last = error;
          const restMs = options.credentials.failed(credential, model, error);
          if (restMs > 0)
            options.logger.warn({ provider: options.id, model, key: credential.label, code: error.code, restMs }, "a model key rests");
          if (streamed) throw error;
          const support = thinking === undefined || corrected ? undefined : supportIn(error);
          if (support !== undefined) {
            corrected = true;
            memory.learn(model, support);
            options.logger.info({ provider: options.id, model, support }, "learned which thinking levels a model has");
          } else if (isGatewayError(error, ...ABOUT_THE_KEY)) tried.add(credential);
          else throw withWait(error, unavailable(model));
        }
      }
    },
  };
}

/** No key is left: what the last one was refused with, or, where keys rest for several reasons, that of the one which is free first. */
function allRefused(last: GatewayError | undefined, resting: GatewayError | undefined): GatewayError {
  if (last !== undefined && (resting === undefined || resting.code === last.code)) return withWait(last, resting);
  return resting ?? new GatewayError("GATEWAY_BUG", { detail: { reason: "a provider without a key to try" } });
}

/** A failure that another attempt may mend, with the time until the provider can be asked again. */
function withWait(error: GatewayError, resting: GatewayError | undefined): GatewayError {
  if (!error.retryable || resting?.retryAfterMs === undefined) return error;
  const { code, detail, hint, cause, retryable } = error;
  return new GatewayError(code, { detail, hint, cause, retryable, retryAfterMs: resting.retryAfterMs });
}
