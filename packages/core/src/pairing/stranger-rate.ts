import type { Clock } from "@trunkline/plugin-sdk";

/** Messages of strangers that one account accepts within a minute; more are only counted. */
export const STRANGERS_PER_MINUTE = 20;

const MINUTE_MS = 60_000;

/** Keeps strangers from filling the store: beyond a rate their messages are not accepted. */
export interface StrangerRate {
  /** Whether one more stranger's message may be accepted on the account now; both answers are counted. */
  admits(channel: string, account: string): boolean;
  /** Messages that were only counted since the start, by `channel:account`. */
  counted(): Readonly<Record<string, number>>;
}

interface Window {
  startedAt: number;
  accepted: number;
  counted: number;
}

/** Creates the rate of a gateway. It holds one window per account. */
export function createStrangerRate(clock: Clock): StrangerRate {
  const windows = new Map<string, Window>();
  return {
    admits(channel, account) {
      const key = `${channel}:${account}`;
      const window = windows.get(key) ?? { startedAt: clock.monotonic(), accepted: 0, counted: 0 };
      windows.set(key, window);
      if (clock.monotonic() - window.startedAt >= MINUTE_MS) {
        window.startedAt = clock.monotonic();
        window.accepted = 0;
      }
      const admitted = window.accepted < STRANGERS_PER_MINUTE;
      if (admitted) window.accepted += 1;
      else window.counted += 1;
      return admitted;
    },
    counted: () => Object.fromEntries([...windows].map(([key, { counted }]) => [key, counted])),
  };
}
