import { conversationKey, type ConversationRef, type ReplyPayload, type Store } from "@trunkline/plugin-sdk";
import { findMessage } from "../store/messages.ts";

/** Reply targets that one turn looks up at most: a model may write any number of them. */
const LOOKUPS = 20;

/**
 * Which messages an answer may quote: the one that it answers, and others of the same conversation. Any other id that a model writes is
 * left out, and the answer goes without a quote: ids are guessed, copied from elsewhere, or somebody's private message.
 */
export class ReplyTargets {
  readonly #store: Store;
  readonly #current: string;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(store: Store, current: string) {
    this.#store = store;
    this.#current = current;
  }

  /** The payload, without a target that is not of the conversation. */
  async settle(payload: ReplyPayload, conversation: ConversationRef): Promise<ReplyPayload> {
    const { replyToId, ...rest } = payload;
    if (replyToId === undefined || replyToId === this.#current) return payload;
    return (await this.#isOf(conversation, replyToId)) ? payload : rest;
  }

  #isOf(conversation: ConversationRef, platformId: string): Promise<boolean> {
    const conv = conversationKey(conversation);
    const key = `${conv}/${platformId}`;
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.size >= LOOKUPS) return known ?? Promise.resolve(false);
    const found = this.#store.read(async (tx) => (await findMessage(tx, { conv, platformId })) !== undefined);
    this.#known.set(key, found);
    return found;
  }
}
