/** Why a turn was cut short. Carried as the reason of its AbortSignal. */
export type AbortReason = "user" | "timeout" | "shutdown" | "superseded" | "lease-lost";

/** The reason of an aborted turn's signal. */
export class TurnAborted extends Error {
  override readonly name = "TurnAborted";
  readonly reason: AbortReason;

  constructor(reason: AbortReason) {
    super(`the turn was aborted: ${reason}`);
    this.reason = reason;
  }
}

/** The reason that a turn's signal was aborted for; undefined while it is not, or when it was not a turn's. */
export function abortReasonOf(signal: AbortSignal): AbortReason | undefined {
  return signal.aborted && signal.reason instanceof TurnAborted ? signal.reason.reason : undefined;
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts: for work that may not listen. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {}); // its failure no longer matters to anybody
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
