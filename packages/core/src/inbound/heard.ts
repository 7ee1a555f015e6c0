import { type ChannelPlugin, conversationKey, type InboundMessage } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";
import { goesOn, moreWithin } from "./fragments.ts";

/** Senders whose last piece is remembered. */
const REMEMBERED = 1000;

/** The last pieces that were heard and are to be answered: by them, a piece that does not name the bot itself is known. */
export interface Heard {
  /** Whether a message goes on with one that is to be answered. */
  goesOn(message: InboundMessage, channel: Pick<ChannelPlugin, "fragments">): boolean;
  /** The message is to be answered, and more of it may come. */
  note(message: InboundMessage, channel: Pick<ChannelPlugin, "fragments"> | undefined): void;
}

/** Creates the memory. */
export function createHeard(): Heard {
  const last = new LruMap<InboundMessage>(REMEMBERED);
  const keyOf = ({ conversation, sender }: InboundMessage): string => `${conversationKey(conversation)} ${sender.id}`;
  return {
    goesOn(message, channel) {
      const previous = last.get(keyOf(message));
      return previous !== undefined && goesOn(previous, message, channel);
    },
    note(message, channel) {
      if (moreWithin(message, channel) > 0) last.set(keyOf(message), message);
      else last.delete(keyOf(message));
    },
  };
}
