import type { Clock } from "@trunkline/plugin-sdk";

/** Limits of one call, in ms. */
export interface CallTimeouts {
  /** Until the connection is up. */
  readonly connectMs: number;
  /** From then until the first byte of the answer's body; a local model reads a long prompt in this time. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer. Keep-alive comments count as signs of life. */
  readonly idleMs: number;
  /** For the whole call. */
  readonly totalMs: number;
}

/** Limits when the configuration names none, in ms. The first byte may take long: a local model reads the prompt first. */
export const DEFAULT_TIMEOUTS: CallTimeouts = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 600_000 };

export type TimeoutPhase = keyof CallTimeouts;

/** The running limits of one call. */
export interface Deadlines {
  /** Begins a phase, or begins it anew. */
  enter(phase: TimeoutPhase): void;
  /** The reader is slow: nothing is expected from the server until the next `enter`. */
  hold(): void;
  limitIdle(ms: number): void;
  phase(): TimeoutPhase;
  cancel(): void;
}

/** Longer timers fire at once in Node; after this one the limits are simply looked at again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One timer for all limits. A piece that arrives only moves a number; the timer looks at it when it fires. */
export function startDeadlines(timeouts: CallTimeouts, clock: Clock, expired: (phase: TimeoutPhase, ms: number) => void): Deadlines {
  const totalEnd = clock.monotonic() + timeouts.totalMs;
  let phase: TimeoutPhase = "connectMs";
  let limit = timeouts.connectMs;
  let idleMs = timeouts.idleMs;
  let phaseEnd = clock.monotonic() + limit;
  let stop = (): void => {};
  let over = false;
  const arm = (): void => {
    stop();
    if (!over)
      stop = clock.timer(Math.max(0, Math.min(LONGEST_TIMER_MS, Math.ceil(Math.min(phaseEnd, totalEnd) - clock.monotonic()))), look);
  };
  const look = (): void => {
    const now = clock.monotonic();
    if (now >= totalEnd) expired("totalMs", timeouts.totalMs);
    else if (now >= phaseEnd) expired(phase, limit);
    else arm();
  };
  const begin = (next: TimeoutPhase): void => {
    const before = phaseEnd;
    phase = next;
    limit = next === "idleMs" ? idleMs : timeouts[next];
    phaseEnd = clock.monotonic() + limit;
    if (phaseEnd < before) arm();
  };
  arm();
  return {
    enter: begin,
    hold() {
      phaseEnd = Infinity;
    },
    limitIdle(ms) {
      idleMs = Math.min(idleMs, ms);
      begin("idleMs");
    },
    phase: () => phase,
    cancel() {
      over = true;
      stop();
    },
  };
}
