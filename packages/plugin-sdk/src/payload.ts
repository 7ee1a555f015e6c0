/**
 * A reply before it is fitted to a channel. Text is Markdown as the model wrote it; shaping turns it into what may be seen.
 * Everything is optional: a payload without text, media or channel data is not renderable and never leaves.
 */
export interface ReplyPayload {
  readonly text?: string;
  /** The one media target, when there is exactly one. An http(s) URL or a path inside the agent's workspace. */
  readonly mediaUrl?: string;
  /** All media targets, in order, unique. */
  readonly mediaUrls?: readonly string[];
  /** Platform message id that the reply should quote; only ids of this conversation are ever sent. */
  readonly replyToId?: string;
  /** True when a reply tag was present in the text, even if its id turned out unusable. */
  readonly replyToTag?: boolean;
  /** Quote the message that started the turn. */
  readonly replyToCurrent?: boolean;
  /** Send audio media as a voice note where the channel has them. */
  readonly audioAsVoice?: boolean;
  /** The gateway's own error sentence rather than the model's words. */
  readonly isError?: boolean;
  /** Model reasoning: dropped unless the person asked to see it. */
  readonly isReasoning?: boolean;
  /** Opaque data for one channel (buttons, cards). Forwarded as it is. */
  readonly channelData?: Readonly<Record<string, unknown>>;
}

/** What kind of reply a payload is; orders and counts in the ReplyDispatcher go by it. */
export type ReplyKind = "tool" | "block" | "final";

/** A medium of an inbound or outbound message, always by reference, never by bytes. */
export interface MediaRef {
  readonly kind: MediaKind;
  /** Where to find it: an absolute path in the data folder, an http(s) URL, or `channel:<opaque>` for the transport to fetch. */
  readonly url: string;
  readonly fileName?: string;
  readonly mimeType?: string;
  /** Bytes, when the platform said so. */
  readonly size?: number;
}

/** Media kinds that channels declare and agents see. */
export type MediaKind = "image" | "audio" | "voice" | "video" | "document" | "sticker";
