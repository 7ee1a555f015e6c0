import type { Clock } from "@trunkline/plugin-sdk";

/** A door that lets one value through at a time: the first at once, later ones at the pace, and of those that wait only the newest. */
export interface Pace<Value> {
  push(value: Value): void;
  /** Forgets the value that waits. */
  cancel(): void;
  /** Whether a value waits. */
  readonly busy: boolean;
}

/** Creates a door that opens every `intervalMs`. */
export function createPace<Value>(clock: Clock, intervalMs: number, through: (value: Value) => void): Pace<Value> {
  let lastAt = Number.NEGATIVE_INFINITY;
  let next: { value: Value } | undefined;
  let stopTimer: (() => void) | undefined;
  const pass = (value: Value): void => {
    lastAt = clock.monotonic();
    through(value);
  };
  return {
    get busy() {
      return next !== undefined;
    },
    push(value) {
      const wait = lastAt + intervalMs - clock.monotonic();
      if (stopTimer === undefined && wait <= 0) return pass(value);
      next = { value };
      stopTimer ??= clock.timer(Math.max(1, Math.ceil(wait)), () => {
        stopTimer = undefined;
        const waiting = next;
        next = undefined;
        if (waiting !== undefined) pass(waiting.value);
      });
    },
    cancel() {
      next = undefined;
      stopTimer?.();
      stopTimer = undefined;
    },
  };
}
