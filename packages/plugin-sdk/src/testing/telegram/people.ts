import { LOG_LIMIT } from "./audit.ts";
import { dropOldest } from "./bounded-log.ts";
import type { EmulatedChat } from "./chats.ts";
import type { FileKind } from "./files.ts";
import { mediaFields } from "./media.ts";
import { cleanText } from "./text/clean.ts";
import { detectEntities, mergeDetected } from "./text/detect.ts";
import type { WireEntity, WireMessage, WireUpdate, WireUser } from "./wire.ts";
import { asReplied, publish, republish, unpublish, wireDate, type World } from "./world.ts";

/** A person by id, with the name and the public name that the bot sees. */
export interface Person {
  readonly userId: number;
  readonly firstName?: string;
  readonly username?: string;
}

/** A file that a person sends. */
export interface SentFile {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly mimeType?: string;
}

/** What a person sends: a text, or one file with or without a caption. */
export interface SentContent {
  readonly text?: string;
  readonly caption?: string;
  readonly photo?: SentFile;
  readonly document?: SentFile;
  readonly voice?: SentFile;
  readonly audio?: SentFile;
  readonly video?: SentFile;
  /** Id of the message it answers. */
  readonly replyTo?: number;
  /** The topic; in a forum an unknown one is opened. 1 is General, which the wire leaves out. */
  readonly threadId?: number;
  /** Entities beyond the detected ones, such as a text_mention. */
  readonly entities?: readonly WireEntity[];
  /** Messages with the same one are one album. */
  readonly albumId?: string;
  /** Seconds since the epoch; for messages that waited while the bot was away. Default: now. */
  readonly date?: number;
}

/** What a person's act put on the way. `updateId` is undefined when the bot does not get to see it. */
export interface Sent {
  readonly messageId: number;
  readonly updateId: number | undefined;
  readonly message: WireMessage;
}

const FILE_KINDS: readonly FileKind[] = ["photo", "document", "voice", "audio", "video"];

/** What people do in the chats of the bot. */
export class People {
  readonly #world: World;
  readonly #privacyMode: boolean;
  #nextCallback = 1;

  /** `privacyMode`: in groups the bot sees only commands, mentions and replies to it. Source: core.telegram.org/bots/features#privacy-mode. */
  constructor(world: World, privacyMode: boolean) {
    this.#world = world;
    this.#privacyMode = privacyMode;
  }

  /** Opens the private chat with a person. */
  privateChat(person: Person): EmulatedChat {
    const user = this.#meet(person);
    const names = { first_name: user.first_name, ...(user.username === undefined ? {} : { username: user.username }) };
    return this.#world.chats.add({ id: user.id, type: "private", ...names }, user);
  }

  /** Adds a group with the bot in it; a forum is always a supergroup. */
  group({
    id,
    title,
    supergroup,
    forum,
    username,
  }: {
    id: number;
    title: string;
    supergroup?: boolean;
    forum?: boolean;
    username?: string;
  }): EmulatedChat {
    const large = supergroup === true || forum === true;
    return this.#world.chats.add({
      id,
      type: large ? "supergroup" : "group",
      title,
      ...(username === undefined ? {} : { username }),
      ...(forum === true ? { is_forum: true as const } : {}),
    });
  }

  /** Sends a message to the bot. */
  send(chat: EmulatedChat, from: Person | WireUser | number, content: SentContent): Sent {
    const user = this.#meet(from);
    const message: WireMessage = {
      message_id: this.#world.chats.nextMessageId(chat.id),
      from: user,
      chat: chat.wire,
      date: content.date ?? wireDate(this.#world),
      ...this.#place(chat, content),
      ...this.#body(content),
      ...(content.albumId === undefined ? {} : { media_group_id: content.albumId }),
    };
    publish(this.#world, message, "user");
    const update = this.#sees(message) ? this.#world.updates.push("message", message) : undefined;
    if (update !== undefined) this.#world.audit.countUpdate(true);
    return { messageId: message.message_id, updateId: update?.update_id, message };
  }

  /** Edits a person's message. @throws RangeError when there is no such message. */
  edit(chat: EmulatedChat, messageId: number, content: Pick<SentContent, "text" | "caption" | "entities">): Sent {
    const old = this.#world.messages.find(chat.id, messageId);
    if (old === undefined) throw new RangeError(`There is no message ${messageId} in chat ${chat.id}.`);
    const dropped = content.text === undefined ? ["caption", "caption_entities"] : ["text", "entities"];
    const rest = Object.fromEntries(Object.entries(old.wire).filter(([name]) => !dropped.includes(name)));
    const wire = { ...rest, ...this.#body(content), edit_date: wireDate(this.#world) } as WireMessage;
    republish(this.#world, old, wire);
    const update = this.#sees(wire) ? this.#world.updates.push("edited_message", wire) : undefined;
    if (update !== undefined) this.#world.audit.countUpdate(false);
    return { messageId, updateId: update?.update_id, message: wire };
  }

  /** Deletes a message; the platform tells bots nothing of it. */
  remove(chat: EmulatedChat, messageId: number): void {
    const old = this.#world.messages.find(chat.id, messageId);
    if (old !== undefined) unpublish(this.#world, old);
  }

  /** Presses a button of a message of the bot. Returns the id of the callback query. */
  press(chat: EmulatedChat, from: Person | WireUser | number, messageId: number, data: string): string {
    const message = this.#world.messages.find(chat.id, messageId);
    if (message === undefined) throw new RangeError(`There is no message ${messageId} in chat ${chat.id}.`);
    const id = `callback-${this.#nextCallback++}`;
    this.#world.callbacks.add(id);
    dropOldest(this.#world.callbacks, LOG_LIMIT);
    const query = { id, from: this.#meet(from), message: message.wire, chat_instance: String(chat.id), data };
    if (this.#world.updates.push("callback_query", query) !== undefined) this.#world.audit.countUpdate(false);
    return id;
  }

  /** Turns a basic group into a supergroup: both sides get their service message, and sends to the old id are refused. */
  migrate(chat: EmulatedChat, newId: number): EmulatedChat {
    const { chats, updates, audit } = this.#world;
    const target = this.group({ id: newId, title: chat.wire.title ?? "", supergroup: true });
    const service = (place: EmulatedChat, extra: Partial<WireMessage>): WireMessage =>
      ({ message_id: chats.nextMessageId(place.id), date: wireDate(this.#world), chat: place.wire, ...extra }) as WireMessage;
    for (const message of [service(chat, { migrate_to_chat_id: newId }), service(target, { migrate_from_chat_id: chat.id })]) {
      if (updates.push("message", message) !== undefined) audit.countUpdate(false);
    }
    chats.move(chat.id, newId);
    return target;
  }

  /**
   * Queues an update of any shape, also a broken one, whatever the bot asked for. A chat and a message that can be
   * recognised in it become known, so that the bot may answer.
   */
  injectUpdate(fields: Readonly<Record<string, unknown>>): WireUpdate {
    const message = fields["message"];
    if (isMessage(message)) {
      const user = message.chat.type === "private" ? message.from : undefined;
      this.#world.chats.add(message.chat, user);
      this.#world.chats.skipMessageId(message.chat.id, message.message_id);
      publish(this.#world, message, "user");
    }
    this.#world.audit.countUpdate("message" in fields);
    return this.#world.updates.pushRaw(fields);
  }

  #meet(person: Person | WireUser | number): WireUser {
    const id = typeof person === "number" ? person : "id" in person ? person.id : person.userId;
    const known = this.#world.chats.findUser(id);
    if (known !== undefined && typeof person === "number") return known;
    const given: WireUser = typeof person === "object" && "id" in person ? person : toUser(id, typeof person === "number" ? {} : person);
    const user = { ...known, ...given };
    this.#world.chats.meet(user);
    return user;
  }

  #place(chat: EmulatedChat, { threadId, replyTo }: SentContent): Partial<WireMessage> {
    const { chats, messages } = this.#world;
    const thread = threadId === 1 && chat.wire.is_forum ? undefined : threadId;
    if (thread !== undefined && chat.wire.type !== "group" && chats.topic(chat.id, thread) === undefined) {
      chats.setTopic(chat.id, thread, "open");
    }
    const replied = replyTo === undefined ? undefined : messages.find(chat.id, replyTo);
    if (replyTo !== undefined && replied === undefined) throw new RangeError(`There is no message ${replyTo} in chat ${chat.id}.`);
    return {
      ...(thread === undefined ? {} : { message_thread_id: thread }),
      ...(thread !== undefined && (chat.wire.is_forum || chat.wire.type === "private") ? { is_topic_message: true as const } : {}),
      ...(replied === undefined ? {} : { reply_to_message: asReplied(replied.wire) }),
    };
  }

  #body(content: SentContent): Partial<WireMessage> {
    const { text, entities } = readTyped(content.text ?? content.caption ?? "", content.entities ?? []);
    const names = content.text === undefined ? ["caption", "caption_entities"] : ["text", "entities"];
    const kind = FILE_KINDS.find((candidate) => content[candidate] !== undefined);
    const sent = kind === undefined ? undefined : content[kind];
    const media =
      kind === undefined || sent === undefined ? {} : mediaFields(this.#world.files.add(kind, sent.bytes, sent.name, sent.mimeType));
    return {
      ...media,
      ...(text === "" && content.text === undefined ? {} : { [names[0] as string]: text }),
      ...(entities.length === 0 ? {} : { [names[1] as string]: entities }),
    };
  }

  #sees(message: WireMessage): boolean {
    if (!this.#privacyMode || message.chat.type === "private") return true;
    const text = (message.text ?? message.caption ?? "").toLowerCase();
    const name = `@${this.#world.bot.username ?? ""}`.toLowerCase();
    return text.startsWith("/") || text.includes(name) || message.reply_to_message?.from?.id === this.#world.bot.id;
  }
}

// Apps of people send clean text; a lone surrogate cannot even be typed, so it is let through for hostile input.
function readTyped(text: string, given: readonly WireEntity[]): { text: string; entities: readonly WireEntity[] } {
  const clean = /\p{Surrogate}/u.test(text) ? { text, entities: given } : cleanText(text, given);
  return { text: clean.text, entities: mergeDetected(clean.entities, detectEntities(clean.text)) };
}

function toUser(id: number, { firstName, username }: Partial<Person>): WireUser {
  return {
    id,
    is_bot: false,
    first_name: firstName ?? `Person ${id}`,
    ...(username === undefined ? {} : { username }),
    language_code: "en",
  };
}

function isMessage(value: unknown): value is WireMessage {
  if (typeof value !== "object" || value === null) return false;
  const { message_id: id, chat } = value as { message_id?: unknown; chat?: unknown };
  if (typeof id !== "number" || typeof chat !== "object" || chat === null) return false;
  const { id: chatId, type } = chat as { id?: unknown; type?: unknown };
  return typeof chatId === "number" && typeof type === "string";
}
