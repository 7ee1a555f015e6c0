import type { AccountState, Clock } from "@trunkline/plugin-sdk";

/** Longest start without a sign of life, ms; a channel that may be silent for longer than this gets as much. */
const START_MS = 120_000;
/** A transport that mends itself is left alone for this long without a sign of life, ms. Then it is made anew. */
const MENDING_MS = 600_000;

/** Listens for the signs of life of one connection. */
export interface SilenceWatch {
  /** Something came from the platform. */
  sign(): void;
  /** The state changed, and with it the silence that is normal. */
  look(): void;
  /** Resolves with the ms of silence once they are too many; never after the signal aborted. */
  readonly tooLong: Promise<number>;
}

/**
 * Watches one connection, by the monotonic clock. `limitMs` is the longest normal silence of a connection that is well; without it only
 * the start is bounded. "The socket is open" is no sign of life: a half-open one stays open for ever.
 */
export function watchSilence(clock: Clock, limitMs: number | undefined, state: () => AccountState, signal: AbortSignal): SilenceWatch {
  let last = clock.monotonic();
  let cancel = (): void => {};
  let settle: (ms: number) => void = () => {};
  const tooLong = new Promise<number>((resolve) => (settle = resolve));
  const look = (): void => {
    cancel();
    const limit = normalSilence(state(), limitMs);
    if (signal.aborted || limit === undefined) return;
    const silent = clock.monotonic() - last;
    if (silent >= limit) settle(silent);
    else cancel = clock.timer(limit - silent, look);
  };
  signal.addEventListener("abort", () => cancel(), { once: true });
  look();
  return {
    sign() {
      last = clock.monotonic();
    },
    look() {
      // What a transport says of itself is a sign, too: it is at work.
      last = clock.monotonic();
      look();
    },
    tooLong,
  };
}

/** Undefined where nothing has to be heard. */
function normalSilence(state: AccountState, limitMs: number | undefined): number | undefined {
  if (state === "starting") return Math.max(START_MS, limitMs ?? 0);
  if (limitMs === undefined || state === "stopped" || state === "needs-operator") return undefined;
  return state === "connected" ? limitMs : Math.max(MENDING_MS, limitMs);
}
