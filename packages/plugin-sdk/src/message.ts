import type { MediaRef } from "./payload.ts";

/** Kinds of conversation. A channel is a broadcast or public room (Slack channel, Discord guild channel). */
export type ConversationKind = "direct" | "group" | "channel";

/**
 * Where a message was said. `id` is the chat that access rules and bindings name; `threadId` a thread or topic in it.
 * Ids are strings always: a snowflake or a Slack ts that went through a number is a corrupted id.
 */
export interface ConversationRef {
  readonly channel: string;
  readonly account: string;
  readonly kind: ConversationKind;
  readonly id: string;
  readonly threadId?: string;
  /** Guild, workspace or team, where the platform has one. */
  readonly space?: string;
}

/** Who said it, as the platform tells. Names are untrusted text; only `id` identifies. */
export interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly username?: string;
  readonly phone?: string;
  readonly isBot: boolean;
  /** The account itself: an echo of what we sent. */
  readonly isSelf: boolean;
  /**
   * Set only by a channel that authenticates its people itself (capability `authenticates`): `owner` may do what owners may,
   * `authorised` may talk and use commands. Everybody else is judged by the access rules.
   */
  readonly trust?: "owner" | "authorised";
}

/** The earlier message that the platform itself says is meant. */
export interface Anchor {
  readonly kind: "reply" | "quote" | "reaction";
  readonly messageId?: string;
  readonly text?: string;
  readonly senderId?: string;
  readonly senderIsSelf?: boolean;
}

/** One inbound event of a platform, normalised by its channel plugin. */
export interface InboundMessage {
  readonly kind: "message" | "reaction" | "edit" | "delete";
  /** The platform's message id. */
  readonly id: string;
  /**
   * The platform's event id or edit time, for an edit, delete or reaction of the message `id`: two edits of one message are two
   * events. Absent for a plain message.
   */
  readonly eventId?: string;
  readonly conversation: ConversationRef;
  /** Who the account was on the platform when the message came (`ChannelPlugin.identity`); set by the gateway, not by the channel. */
  readonly receivedAs?: string;
  readonly sender: Sender;
  /** Line ends are \n; nothing else of what the person typed is changed. */
  readonly text: string;
  readonly media: readonly MediaRef[];
  readonly mentions: { readonly bot: boolean; readonly others: readonly string[] };
  readonly anchor?: Anchor;
  readonly forwarded?: { readonly from?: string };
  readonly labels?: {
    readonly explicit?: string;
    readonly subject?: string;
    readonly channelName?: string;
    readonly space?: string;
    readonly thread?: string;
    /** The conversation's public name as `parseLink` reads it from a link. Of a place, never of a person. */
    readonly handle?: string;
  };
  /** Platform time, integer ms UTC. */
  readonly sentAt: number;
  /** Opaque to core; bounded and JSON-serialisable. */
  readonly channelData?: Readonly<Record<string, unknown>>;
}

/** How an inbound message ended. Exactly one per accepted message; the list is closed. */
export const DISPOSITIONS = [
  "replied",
  "silent",
  "command",
  "directive",
  "denied",
  "pairing",
  "not-mentioned",
  "merged",
  "aborted",
  "dropped",
  "failed",
  "ignored",
  "stale",
  "superseded",
  "context",
  "unreadable",
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/**
 * One recorded decision of the pipeline, shown by `trunkline explain`.
 * `path` is the config path that decided (`channels.telegram.accounts.main.dmPolicy`); its file and line come from the config
 * snapshot whose revision the message carries.
 */
export interface Decision {
  readonly stage: string;
  readonly code: string;
  readonly why: string;
  readonly path?: string;
  /** File and line of `path` at the time of the decision, so that a later edit of the file does not change history. */
  readonly at?: string;
}
