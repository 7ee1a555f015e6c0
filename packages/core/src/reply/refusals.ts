import { type Clock, conversationKey, type InboundMessage } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";

/** One refusal is told per sender and hour. Source: the product's rules for unauthorised commands. */
const REFUSAL_EVERY_MS = 60 * 60 * 1000;

/** Remembers who was told that they may not use commands, so that nobody can make the bot repeat it. */
export interface RefusalLimit {
  /** Whether the sender may be told now; a yes counts. */
  mayTell(message: InboundMessage): boolean;
}

/** Creates the memory; bounded, and gone with a restart. */
export function createRefusalLimit(clock: Clock): RefusalLimit {
  const told = new LruMap<number>(10_000);
  return {
    mayTell(message) {
      const key = `${conversationKey(message.conversation)}/${message.sender.id}`;
      const last = told.get(key);
      if (last !== undefined && clock.monotonic() - last < REFUSAL_EVERY_MS) return false;
      told.set(key, clock.monotonic());
      return true;
    },
  };
}
