/** Lets at most `limit` holders in at once; the others wait in order. */
export interface Semaphore {
  /** Resolves with the function that gives the place back. */
  acquire(): Promise<() => void>;
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
    acquire() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve) => waiting.push(() => resolve(once())));
    },
  };
}
