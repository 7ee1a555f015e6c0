import type { GatewayError, ModelInfo } from "@trunkline/plugin-sdk";

/** Longest wait for a provider that says when it can be asked again, ms; a longer one goes to the next model. */
export const SHORT_WAIT_MS = 5000;

/** Wait before the one repetition of a call that broke off before it said anything, ms. */
const REPEAT_AFTER_MS = 250;

/** What to do about a failed call: the same model again after `waitMs`, another model, or give up. */
export type FallbackVerdict = { readonly do: "repeat"; readonly waitMs: number } | { readonly do: "next" } | { readonly do: "stop" };

/**
 * Judges a failed call. What a person has seen already cannot be taken back, so that no answer starts again before their eyes; a fault
 * of the gateway would be the same with every model; everything else gives way to the next one, a passing failure after one
 * repetition. Pure.
 */
export function judgeModelError(error: GatewayError, call: { readonly attempt: number; readonly seen: boolean }): FallbackVerdict {
  if (call.seen || !error.code.startsWith("MODEL_")) return { do: "stop" };
  const waitMs = error.retryAfterMs ?? REPEAT_AFTER_MS;
  return call.attempt === 1 && error.retryable && waitMs <= SHORT_WAIT_MS ? { do: "repeat", waitMs } : { do: "next" };
}

/** Whether a model may hold a conversation that was too long for another: only one that is known to hold more. Pure. */
export function holdsMore(model: ModelInfo | undefined, than: ModelInfo | undefined): boolean {
  return model?.contextWindow !== undefined && than?.contextWindow !== undefined && model.contextWindow > than.contextWindow;
}
