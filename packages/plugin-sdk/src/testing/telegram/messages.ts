import { dropOldest } from "./bounded-log.ts";
import type { WireMessage } from "./wire.ts";

/** A message that exists now, with what the wire does not say. */
export interface StoredMessage {
  readonly wire: WireMessage;
  readonly from: "bot" | "user";
  /** When it was sent, in ms since the epoch. */
  readonly at: number;
  readonly editedAt?: number;
}

/** The messages that exist now, oldest first; beyond `limit` the oldest are forgotten. */
export class Messages {
  readonly #limit: number;
  readonly #stored = new Map<string, StoredMessage>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a new message. */
  add(message: StoredMessage): void {
    this.#stored.set(key(message.wire.chat.id, message.wire.message_id), message);
    dropOldest(this.#stored, this.#limit);
  }

  /** Finds a message that was not deleted. */
  find(chatId: number, messageId: number): StoredMessage | undefined {
    return this.#stored.get(key(chatId, messageId));
  }

  /** Puts an edited message in the place of the old one. */
  replace(message: StoredMessage): void {
    const place = key(message.wire.chat.id, message.wire.message_id);
    if (this.#stored.has(place)) this.#stored.set(place, message);
  }

  /** Deletes a message; false when there was none. */
  remove(chatId: number, messageId: number): boolean {
    return this.#stored.delete(key(chatId, messageId));
  }

  /** All messages, in the order in which they were sent. */
  all(): IterableIterator<StoredMessage> {
    return this.#stored.values();
  }
}

function key(chatId: number, messageId: number): string {
  return `${chatId}/${messageId}`;
}
