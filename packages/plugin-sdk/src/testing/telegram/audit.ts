import { BoundedLog } from "./bounded-log.ts";
import type { Messages, StoredMessage } from "./messages.ts";
import type { WireEntity, WireMessage } from "./wire.ts";

/** How many entries each log of the emulator keeps. */
export const LOG_LIMIT = 200_000;

/** A message that a person can see now. */
export interface VisibleMessage {
  readonly chatId: number;
  readonly threadId?: number;
  readonly messageId: number;
  readonly from: "bot" | "user";
  readonly userId?: number;
  /** The text or the caption, as stored by the server; empty for media without a caption. */
  readonly text: string;
  readonly entities: readonly WireEntity[];
  readonly media?: VisibleMedia;
  readonly replyTo?: number;
  readonly replyMarkup?: unknown;
  /** When it was sent, in ms since the epoch. */
  readonly at: number;
  readonly editedAt?: number;
}

/** The file of a message. */
export interface VisibleMedia {
  readonly kind: string;
  readonly fileId: string;
  readonly fileName?: string;
  readonly size: number;
  readonly albumId?: string;
}

/** What became of a call. `lost`: the caller got no answer; `effect` tells whether the call took place. */
export type CallOutcome =
  | { readonly kind: "ok"; readonly messageIds?: readonly number[] }
  | { readonly kind: "refused"; readonly code: number; readonly description: string; readonly effect?: boolean }
  | { readonly kind: "lost"; readonly effect: boolean };

/** One call of the bot. Files are replaced by their name and size; the token is nowhere. */
export interface AuditCall {
  readonly method: string;
  readonly chatId?: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
  /** When the outcome was known, in ms since the epoch. */
  readonly at: number;
}

/** Everything that ever showed on a screen, deleted and edited states included. */
export interface TimelineEntry {
  readonly kind: "sent" | "edited" | "deleted" | "draft" | "action" | "reaction";
  readonly chatId: number;
  readonly messageId?: number;
  readonly from: "bot" | "user";
  readonly text?: string;
  readonly at: number;
}

/** The judge of a test: what people saw and what the bot asked for, kept apart from what the gateway says of itself. */
export class Audit {
  readonly #messages: Messages;
  readonly #calls = new BoundedLog<AuditCall>(LOG_LIMIT);
  readonly #timeline = new BoundedLog<TimelineEntry>(LOG_LIMIT);
  #injected = 0;
  #updates = 0;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** Messages that people sent and that reached the bot's queue; a duplicate counts once. */
  get injected(): number {
    return this.#injected;
  }

  /** All different updates that reached the bot's queue, edits and raw ones included. */
  get updates(): number {
    return this.#updates;
  }

  /** What can be seen now, in the order in which it was sent; of one chat, or of all. */
  visible(chatId?: number): VisibleMessage[] {
    const all = [...this.#messages.all()].filter((message) => chatId === undefined || message.wire.chat.id === chatId);
    return all.map(toVisible);
  }

  /** What the bot wrote and can be seen now. */
  visibleFromBot(chatId?: number): VisibleMessage[] {
    return this.visible(chatId).filter((message) => message.from === "bot");
  }

  /** The calls of the bot, oldest first. */
  calls(method?: string): AuditCall[] {
    const all = this.#calls.toArray();
    return method === undefined ? all : all.filter((call) => call.method.toLowerCase() === method.toLowerCase());
  }

  /** What showed on the screens over time, oldest first. */
  timeline(): TimelineEntry[] {
    return this.#timeline.toArray();
  }

  /** Every text that a message ever had, oldest first. */
  versions(chatId: number, messageId: number): string[] {
    const shown = this.timeline().filter((entry) => entry.kind === "sent" || entry.kind === "edited");
    return shown.filter((entry) => entry.chatId === chatId && entry.messageId === messageId).map(({ text }) => text ?? "");
  }

  /** Used by the emulator: records a call. */
  recordCall(call: AuditCall): void {
    this.#calls.push(call);
  }

  /** Used by the emulator: records what showed on a screen. */
  recordSeen(entry: TimelineEntry): void {
    this.#timeline.push(entry);
  }

  /** Used by the emulator: counts an update; `message` when a person sent it as a message. */
  countUpdate(message: boolean): void {
    this.#updates += 1;
    if (message) this.#injected += 1;
  }
}

function toVisible({ wire, from, at, editedAt }: StoredMessage): VisibleMessage {
  const media = toMedia(wire);
  return {
    chatId: wire.chat.id,
    ...(wire.message_thread_id === undefined ? {} : { threadId: wire.message_thread_id }),
    messageId: wire.message_id,
    from,
    ...(wire.from === undefined ? {} : { userId: wire.from.id }),
    text: wire.text ?? wire.caption ?? "",
    entities: wire.entities ?? wire.caption_entities ?? [],
    ...(media === undefined ? {} : { media }),
    ...(wire.reply_to_message === undefined ? {} : { replyTo: wire.reply_to_message.message_id }),
    ...(wire.reply_markup === undefined ? {} : { replyMarkup: wire.reply_markup }),
    at,
    ...(editedAt === undefined ? {} : { editedAt }),
  };
}

function toMedia(wire: WireMessage): VisibleMedia | undefined {
  for (const kind of ["photo", "document", "voice", "audio", "video"]) {
    const value = wire[kind];
    const file: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof file !== "object" || file === null) continue;
    const { file_id: fileId, file_name: fileName, file_size: size } = file as { file_id: string; file_name?: string; file_size: number };
    return {
      kind,
      fileId,
      ...(fileName === undefined ? {} : { fileName }),
      size,
      ...(wire.media_group_id === undefined ? {} : { albumId: wire.media_group_id }),
    };
  }
  return undefined;
}
