/** Lets at most `limit` holders in at once; the others wait in order. */
export interface Semaphore {
  /** Resolves with the function that gives the place back; rejects with the signal's reason when it aborts first. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/** Creates a semaphore with `limit` places. */
export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  const once = (): (() => void) => {
    let held = true;
    return () => {
      if (held) release();
      held = false;
    };
  };
  return {
    acquire(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(signal.reason);
        };
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve(once());
        };
        waiting.push(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
