import { setImmediate } from "node:timers";
import type { Clock } from "../clock.ts";

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /**
   * Moves time on by `ms` and runs what falls due, earliest first and, at one instant, in the order of setting. Everybody else gets
   * a turn before the first timer and after each, so that what a timer sets off may set timers within the same span.
   */
  advance(ms: number): Promise<void>;
  /** Ms until each waiting timer and sleep, soonest first. */
  pending(): readonly number[];
  /** Resolves with the delay of a timer or sleep as soon as one waits whose delay fits; at once when one does already. */
  waiting(fits?: (ms: number) => boolean): Promise<number>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

interface Watcher {
  readonly fits: (ms: number) => boolean;
  readonly tell: (ms: number) => void;
}

/** Creates a clock that shows `start`, in ms UTC. Its monotonic side begins at 0. */
export function createVirtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  let elapsed = 0;
  // Sorted by due time; of equal ones the older first.
  const timers: Timer[] = [];
  const watchers = new Set<Watcher>();

  const timer = (ms: number, run: () => void): (() => void) => {
    const added: Timer = { due: elapsed + Math.max(0, ms), run };
    const behind = timers.findIndex(({ due }) => due > added.due);
    timers.splice(behind === -1 ? timers.length : behind, 0, added);
    for (const watcher of watchers) if (watcher.fits(ms)) watcher.tell(ms);
    return () => {
      const at = timers.indexOf(added);
      if (at !== -1) timers.splice(at, 1);
    };
  };

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    timer,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = timer(ms, () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        });
        signal?.addEventListener("abort", stop, { once: true });
      }),
    async advance(ms) {
      const target = elapsed + ms;
      await others();
      while (timers[0] !== undefined && timers[0].due <= target) {
        const { due, run } = timers.shift()!;
        elapsed = due;
        run();
        await others();
      }
      elapsed = target;
    },
    pending: () => timers.map(({ due }) => due - elapsed),
    waiting: (fits = () => true) =>
      new Promise((resolve) => {
        const already = timers.map(({ due }) => due - elapsed).find((ms) => fits(ms));
        if (already !== undefined) return resolve(already);
        const watcher: Watcher = {
          fits,
          tell(ms) {
            watchers.delete(watcher);
            resolve(ms);
          },
        };
        watchers.add(watcher);
      }),
  };
}

/** A whole round of the event loop: promises settle, and what is ready for I/O runs. */
function others(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
