import { type Clock, conversationKey, type InboundMessage, type Logger } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";

/** Messages of one bot in one conversation that are answered within a minute. */
export const BOT_MESSAGES = 20;

const WINDOW_MS = 60_000;

/** Bots that are remembered. */
const REMEMBERED = 1000;

/** Ends an exchange in which two bots answer each other for ever. */
export interface BotLoopGuard {
  /** Counts a bot's message; true when it sent too many, and as long as it does not become calmer. */
  isLooping(message: InboundMessage): boolean;
}

/** Creates the guard of a gateway. */
export function createBotLoopGuard(clock: Clock, logger: Logger): BotLoopGuard {
  const heard = new LruMap<readonly number[]>(REMEMBERED);
  return {
    isLooping({ conversation, sender }) {
      const key = `${conversationKey(conversation)} ${sender.id}`;
      const now = clock.monotonic();
      const before = (heard.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
      heard.set(key, [...before, now].slice(-BOT_MESSAGES - 1));
      if (before.length < BOT_MESSAGES) return false;
      const { channel, account } = conversation;
      if (before.length === BOT_MESSAGES) {
        logger.warn({ channel, account, sender: sender.id }, "a bot sends too much; it is not answered until it is calmer");
      }
      return true;
    },
  };
}
