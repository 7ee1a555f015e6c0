/**
 * Shapes that the emulator puts on the wire, as the Bot API documents them.
 * Only what the emulator fills in; optional fields are absent, never null. Source: core.telegram.org/bots/api (Bot API 10.3).
 */

/** A person or a bot. `id` is a positive integer. */
export interface WireUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
  readonly language_code?: string;
}

/** A chat. Private ids are user ids; basic groups are negative; supergroups start with -100. */
export interface WireChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title?: string;
  readonly first_name?: string;
  readonly username?: string;
  readonly is_forum?: true;
}

/** A span of a text. Unit of `offset` and `length`: UTF-16 code units. */
export interface WireEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly user?: WireUser;
  readonly language?: string;
  readonly custom_emoji_id?: string;
  readonly unix_time?: number;
  readonly date_time_format?: string;
}

/** A text together with its entities, sorted and valid. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly WireEntity[];
}

/** A message as it is sent to the bot. Media fields hold what the Bot API documents for their type. */
export interface WireMessage {
  readonly message_id: number;
  readonly date: number;
  readonly chat: WireChat;
  readonly from?: WireUser;
  readonly text?: string;
  readonly entities?: readonly WireEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly WireEntity[];
  readonly edit_date?: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly media_group_id?: string;
  readonly reply_to_message?: WireMessage;
  readonly quote?: { readonly text: string; readonly position: number; readonly is_manual?: true };
  readonly reply_markup?: unknown;
  readonly migrate_to_chat_id?: number;
  readonly migrate_from_chat_id?: number;
  readonly [media: string]: unknown;
}

/** One update; exactly one other key names its type. */
export interface WireUpdate {
  readonly update_id: number;
  readonly [type: string]: unknown;
}
