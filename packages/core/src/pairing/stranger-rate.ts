import type { Clock, InboundMessage } from "@trunkline/plugin-sdk";

/** Messages of strangers that one account accepts within a minute, directly and in groups each; more are only counted. */
export const STRANGERS_PER_MINUTE = 20;
/** Of these, messages of one sender: who knocks again and again must not keep the next stranger from getting a code. */
export const PER_STRANGER = 5;

const MINUTE_MS = 60_000;

/** Keeps strangers from filling the store: beyond a rate their messages are not accepted. */
export interface StrangerRate {
  /** Whether one more stranger's message may be accepted now; both answers are counted. */
  admits(message: Pick<InboundMessage, "conversation" | "sender">): boolean;
  /** Messages that were only counted since the start, by `channel:account`. */
  counted(): Readonly<Record<string, number>>;
}

interface Window {
  startedAt: number;
  accepted: number;
  /** Accepted messages by sender: at most as many as were accepted. */
  readonly bySender: Map<string, number>;
}

/** Creates the rate of a gateway. It holds two windows per account. */
export function createStrangerRate(clock: Clock): StrangerRate {
  const windows = new Map<string, Window>();
  const counted = new Map<string, number>();
  return {
    admits({ conversation: { channel, account, kind }, sender }) {
      const name = `${channel}:${account}`;
      // Apart, so that a talkative group that is not listed does not take the place of those who ask to be let in.
      const key = `${name}:${kind === "direct" ? "direct" : "group"}`;
      const window = windows.get(key) ?? { startedAt: clock.monotonic(), accepted: 0, bySender: new Map<string, number>() };
      windows.set(key, window);
      if (clock.monotonic() - window.startedAt >= MINUTE_MS) {
        window.startedAt = clock.monotonic();
        window.accepted = 0;
        window.bySender.clear();
      }
      const own = window.bySender.get(sender.id) ?? 0;
      const admitted = window.accepted < STRANGERS_PER_MINUTE && own < PER_STRANGER;
      if (admitted) {
        window.accepted += 1;
        window.bySender.set(sender.id, own + 1);
      }
      counted.set(name, (counted.get(name) ?? 0) + (admitted ? 0 : 1));
      return admitted;
    },
    counted: () => Object.fromEntries(counted),
  };
}
