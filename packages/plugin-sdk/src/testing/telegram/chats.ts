import { badRequest, forbidden, type Refusal } from "./refusal.ts";
import type { WireChat, WireUser } from "./wire.ts";

/**
 * Whether the bot may write into a chat.
 * `blocked`, `deactivated`: private chats; `kicked`: groups; `restricted`: a member that may not send.
 */
export type ChatAccess = "open" | "blocked" | "deactivated" | "kicked" | "restricted";

/** A chat of the emulator. Give it to `send` and the other acts of people. */
export interface EmulatedChat {
  readonly id: number;
  readonly wire: WireChat;
  /** The person, in a private chat. */
  readonly user: WireUser | undefined;
}

interface ChatState extends EmulatedChat {
  access: ChatAccess;
  movedTo: number | undefined;
  nextMessageId: number;
  /** Topics of a forum: open, closed or deleted. */
  readonly topics: Map<number, "open" | "closed">;
}

/** Every chat and person that the bot knows, and the numbering of messages. */
export class Chats {
  readonly #chats = new Map<number, ChatState>();
  readonly #users = new Map<number, WireUser>();
  #nextSharedId = 1;

  /** Adds a chat, or returns the one that has this id. */
  add(wire: WireChat, user?: WireUser): EmulatedChat {
    const known = this.#chats.get(wire.id);
    if (known !== undefined) return known;
    const chat: ChatState = { id: wire.id, wire, user, access: "open", movedTo: undefined, nextMessageId: 1, topics: new Map() };
    this.#chats.set(wire.id, chat);
    if (user !== undefined) this.meet(user);
    return chat;
  }

  /** Remembers a person, so that the bot may mention them. */
  meet(user: WireUser): void {
    this.#users.set(user.id, user);
  }

  /** Finds a person whom the bot has met. */
  findUser = (id: number): WireUser | undefined => this.#users.get(id);

  /** Finds a chat by id. */
  find(id: number): EmulatedChat | undefined {
    return this.#chats.get(id);
  }

  /** Finds a chat by its public name, "@" included; case does not matter. */
  findByName(name: string): EmulatedChat | undefined {
    const wanted = name.slice(1).toLowerCase();
    return [...this.#chats.values()].find((chat) => chat.wire.username?.toLowerCase() === wanted);
  }

  /**
   * The next message id of a chat. Private chats and basic groups share one counter over the whole account of the bot;
   * a supergroup counts for itself. Source: core.telegram.org/api/channel (supergroups have their own message box).
   */
  nextMessageId(chatId: number): number {
    const chat = this.#state(chatId);
    if (chat.wire.type !== "supergroup") return this.#nextSharedId++;
    return chat.nextMessageId++;
  }

  /** The newest message id given out in a chat's numbering, 0 before the first. */
  newestMessageId(chatId: number): number {
    const chat = this.#state(chatId);
    return (chat.wire.type === "supergroup" ? chat.nextMessageId : this.#nextSharedId) - 1;
  }

  /** Moves a chat's numbering behind an id that came from elsewhere. */
  skipMessageId(chatId: number, messageId: number): void {
    const chat = this.#state(chatId);
    if (chat.wire.type === "supergroup") chat.nextMessageId = Math.max(chat.nextMessageId, messageId + 1);
    else this.#nextSharedId = Math.max(this.#nextSharedId, messageId + 1);
  }

  /** Sets whether the bot may write into a chat. */
  setAccess(chatId: number, access: ChatAccess): void {
    this.#state(chatId).access = access;
  }

  /** Marks a basic group as upgraded. */
  move(chatId: number, to: number): void {
    this.#state(chatId).movedTo = to;
  }

  /** Opens, closes or deletes a topic of a forum. */
  setTopic(chatId: number, topic: number, state: "open" | "closed" | "deleted"): void {
    const { topics } = this.#state(chatId);
    if (state === "deleted") topics.delete(topic);
    else topics.set(topic, state);
  }

  /** The state of a topic; undefined when there is none with this id. */
  topic(chatId: number, topic: number): "open" | "closed" | undefined {
    return this.#state(chatId).topics.get(topic);
  }

  /**
   * Why the bot may not send `what` ("text messages", "photos", ...) into a chat, if so.
   * Wording: telegram-bot-api Client.cpp, `check_chat_access`; td MessagesManager.cpp, `can_send_message_content`.
   */
  sendRefusal(chatId: number, what: string): Refusal | undefined {
    const chat = this.#state(chatId);
    if (chat.movedTo !== undefined) {
      return badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: chat.movedTo });
    }
    switch (chat.access) {
      case "blocked":
        return forbidden("bot was blocked by the user");
      case "deactivated":
        return forbidden("user is deactivated");
      case "kicked":
        return forbidden(`bot was kicked from the ${chat.wire.type === "supergroup" ? "supergroup" : "group"} chat`);
      case "restricted":
        return badRequest(`not enough rights to send ${what} to the chat`);
      case "open":
        return undefined;
    }
  }

  #state(chatId: number): ChatState {
    const chat = this.#chats.get(chatId);
    if (chat === undefined) throw badRequest("chat not found");
    return chat;
  }
}
