import type { Clock } from "./clock.ts";
import type { ConversationRules } from "./conversation.ts";
import type { GatewayError } from "./errors.ts";
import type { Logger } from "./logger.ts";
import type { ConversationKind, ConversationRef, InboundMessage } from "./message.ts";
import type { MediaKind, MediaRef } from "./payload.ts";
import type { RenderedPart, RenderProfile } from "./render.ts";
import type { Schema } from "./schema.ts";

/** What a channel can do. The pipeline asks here, never for a channel's name. */
export interface ChannelCapabilities {
  readonly chatKinds: readonly ConversationKind[];
  readonly media: readonly MediaKind[];
  readonly threads: boolean;
  readonly reactions: boolean;
  readonly edit: boolean;
  readonly typing: boolean;
  /**
   * How a growing answer can be shown. `edit`: a first message that grows by edits (`Transport.edit`) and that the answer replaces;
   * `draft`: a volatile view (`Transport.preview`) that leaves nothing behind and is followed by a send.
   */
  readonly preview: "none" | "edit" | "draft" | "stream";
  readonly buttons: boolean;
  readonly nativeCommands: boolean;
  /**
   * What a repeated send does: `idempotent` the same key is the same message; `reconcilable` the transport can find out whether a
   * lost send arrived; `at-least-once` nobody can tell.
   */
  readonly delivery: "idempotent" | "reconcilable" | "at-least-once";
  /** The channel authenticates its people itself and may set `sender.trust`; its direct messages need no allow list. */
  readonly authenticates?: boolean;
}

/** One platform message of a reply, as the outbox holds it. Committed content never changes under one key. */
export interface OutboundPart {
  /** Outbox id, `ob_...`. */
  readonly id: string;
  /** Stable across resends: 25 characters of base32. */
  readonly key: string;
  readonly conversation: ConversationRef;
  /** Who has to send it: what was written to one bot is not answered by another that its account was given. Absent: whoever is there. */
  readonly sendAs?: string;
  /** Body text, or the caption when there is media. */
  readonly text?: RenderedPart;
  readonly media?: readonly OutboundMedia[];
  readonly replyToId?: string;
  readonly turn?: string;
  /** Outbox id of an earlier part whose message this one replaces, or takes away. Channels get that message's id beside the part. */
  readonly replaces?: string;
  readonly channelData?: Readonly<Record<string, unknown>>;
}

/** A file to send, already copied into the data folder. */
export interface OutboundMedia {
  readonly kind: MediaKind;
  /** Absolute path. */
  readonly path: string;
  readonly fileName: string;
  readonly mimeType: string;
}

/** The platform's proof of a sent part. */
export interface Receipt {
  /** The platform's message id; the first one when the platform made several. */
  readonly messageId: string;
  /** Platform time in ms, where the platform says it. */
  readonly at?: number;
}

/** What the store knows around a part whose outcome is unknown. */
export interface ReconcileEvidence {
  /** Newest message id known in the part's own conversation (any author), before the part. */
  readonly lastKnownId?: string;
  /** Newest message ids seen on this account in any conversation, newest first, bounded. */
  readonly newestSeenIds: readonly string[];
}

export type ReconcileResult =
  | { readonly outcome: "sent"; readonly receipt: Receipt }
  | { readonly outcome: "absent" }
  /** The platform does not let us know; the account's `onAmbiguous` policy decides. */
  | { readonly outcome: "undecided"; readonly why: string };

/** A volatile view of a growing answer. Newest wins; losing one loses nothing. */
export interface PreviewUpdate {
  readonly conversation: ConversationRef;
  readonly turn: string;
  /** The visible answer so far, rendered whole; absent to take the preview away. */
  readonly text?: RenderedPart;
}

/** A transport's connection to its platform: the one slot of a channel that does I/O. */
export interface Transport {
  /** Connects; resolves once messages can arrive. Rejects with a CHANNEL_ error when it cannot; the host tries again if retryable. */
  start(): Promise<void>;
  /** Ends intake, lets sends in flight finish, closes. Idempotent. */
  stop(): Promise<void>;
  /**
   * Longest ms between two signs of life (`ChannelHost.alive`) of a connection that is well. One that is silent for longer is deaf, whatever
   * its socket says, and is made anew. Absent where nothing has to be heard.
   */
  readonly silenceLimitMs?: number;
  /**
   * Sends one part. Rejects with a GatewayError: DELIVERY_RETRY (with retryAfterMs for a rate limit; `detail.scope` "account" when it
   * holds for the whole account, else it is the chat's), DELIVERY_MARKUP_REFUSED, DELIVERY_TOO_LONG, DELIVERY_MEDIA_REFUSED,
   * DELIVERY_THREAD_GONE, DELIVERY_REPLY_GONE, DELIVERY_NO_ACCESS (permanent; nothing gets into this chat), DELIVERY_REFUSED
   * (permanent), DELIVERY_OUTCOME_UNKNOWN (it may have arrived), CHANNEL_TOKEN_REJECTED (stops the account).
   */
  send(part: OutboundPart, signal: AbortSignal): Promise<Receipt>;
  /**
   * Gives a message that was sent before the content of a part; one that has it already is a success. Rejects like `send`, and with
   * DELIVERY_EDIT_GONE when there is no such message to edit. Needed when `preview` is `edit`.
   */
  edit?(part: OutboundPart, messageId: string, signal: AbortSignal): Promise<Receipt>;
  /** Takes a message away that was sent before; one that is gone already is a success. Rejects like `send`. */
  remove?(part: OutboundPart, messageId: string, signal: AbortSignal): Promise<void>;
  /** Shortest time between two edits of a growing answer in a conversation, ms. Needed when `preview` is `edit`. */
  previewEveryMs?(conversation: ConversationRef): number;
  /** Shows activity for the platform's usual few seconds. Failures do not matter. */
  typing?(conversation: ConversationRef): Promise<void>;
  /** Ms after which `typing` has to be repeated. */
  readonly typingRefreshMs?: number;
  preview?(update: PreviewUpdate): void;
  /** Finds out whether a part with unknown outcome arrived. Needed when `delivery` is `reconcilable`. */
  reconcile?(part: OutboundPart, evidence: ReconcileEvidence, signal: AbortSignal): Promise<ReconcileResult>;
  /** Fetches an inbound medium; called only after access has passed. The stream is cut at `maxBytes`. */
  fetchMedia?(media: MediaRef, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<FetchedMedia>;
}

/** Bytes of an inbound medium. */
export interface FetchedMedia {
  readonly data: AsyncIterable<Uint8Array>;
  readonly mimeType?: string;
  readonly fileName?: string;
}

/** What tells the pieces of a message that came in several: of a long text that was cut, or of an album. Pure. */
export interface MessageFragments {
  /** How long another piece may still come after this one, ms; 0 when it is whole. */
  moreWithinMs(message: InboundMessage): number;
  /** Whether `next`, heard after `previous` in one conversation from one sender, goes on with it. */
  follows(previous: InboundMessage, next: InboundMessage): boolean;
  /** What stands between the texts of two pieces: nothing, or what the cut took away. */
  between(previous: InboundMessage): string;
}

/** How a connection is doing, by evidence. */
export type AccountState = "stopped" | "starting" | "connected" | "deaf" | "backing-off" | "needs-operator";

/** What became of a received message. */
export interface ReceiveResult {
  /** Inbox id; of the first row when it was a duplicate. Empty for a stranger's message over the rate: it is counted and not accepted. */
  readonly id: string;
  readonly duplicate: boolean;
}

/** What the gateway offers a connected account. */
export interface ChannelHost {
  readonly channel: string;
  readonly account: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when intake is to end. Sends still work until `stop`. */
  readonly signal: AbortSignal;
  /**
   * Accepts a batch in one transaction. Resolves once it is durable, and only then may the platform be told so. Rejects when
   * nothing was stored (disk full): do not acknowledge, come again.
   */
  receive(messages: readonly InboundMessage[]): Promise<readonly ReceiveResult[]>;
  /**
   * Keeps an event that could not be normalised, so that it is counted and can be looked at, and never blocks what follows.
   * `eventId` is the platform's id of the event; raw is stored capped.
   */
  unreadable(event: { readonly eventId: string; readonly raw: unknown; readonly why: string }): Promise<ReceiveResult>;
  /** The platform showed that it is there: an event, a returned poll, an answered ping. An open socket is no such sign. Cheap. */
  alive(): void;
  /** Reports the connection's state when it changes, with the error that explains it. */
  report(state: AccountState, error?: GatewayError): void;
  /** Recent messages of a conversation of this account, oldest first, as they were accepted and sent; with `before`, older ones. */
  history(
    conversation: ConversationRef,
    options: { readonly limit: number; readonly before?: { readonly at: number; readonly id: string } },
  ): Promise<readonly HistoryEntry[]>;
  /** One message of a conversation of this account by its platform id; undefined when none is known. */
  message(conversation: ConversationRef, id: string): Promise<HistoryEntry | undefined>;
  /**
   * Keeps a file that a person gave to the channel itself rather than to a platform that stores it. Addressed by content: one file is
   * kept once. Rejects with DELIVERY_MEDIA_REFUSED when it is over 20 MB, and keeps nothing then.
   */
  saveMedia(data: AsyncIterable<Uint8Array>, name: string): Promise<KeptMedia>;
  /** Opens a kept file by its id; undefined when it is gone. */
  openMedia(id: string): Promise<(KeptMedia & { readonly data: AsyncIterable<Uint8Array> }) | undefined>;
  /** What the account itself has to remember. */
  readonly memory: AccountMemory;
  /** Address of the proxy that platforms are reached by (`network.proxy`); undefined when there is none. This machine is reached without it. */
  readonly proxy?: string;
  /** Serves HTTP below the given prefix; undefined when the gateway has no HTTP server. Undone when the account stops. */
  readonly http?: { route(prefix: string, handler: HttpHandler, options?: RouteOptions): void };
}

/** A file in the data folder's `media/`. */
export interface KeptMedia {
  /** SHA-256 of its bytes, 64 hexadecimal digits. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

/** Small texts that an account keeps in the store under names of its own choosing. */
export interface AccountMemory {
  get(name: string): Promise<string | undefined>;
  /** Durable once it resolves; undefined forgets the name. A text has at most 256 kB: what grows without end is no memory. */
  set(name: string, value: string | undefined): Promise<void>;
}

/** Rules of one HTTP route. */
export interface RouteOptions {
  /** Largest body of a request, in bytes, in place of the server's own. Such a request has to announce its length. */
  readonly maxBodyBytes?: number;
}

/** One message of `ChannelHost.history`. */
export interface HistoryEntry {
  readonly direction: "in" | "out";
  /** Platform id; for a sent part, of its receipt. */
  readonly id: string;
  /** Outbox key of a sent part. */
  readonly key?: string;
  readonly at: number;
  readonly inbound?: InboundMessage;
  readonly part?: OutboundPart;
}

/** Who an HTTP request comes from, after the gateway's token, Host and Origin checks. */
export interface HttpIdentity {
  readonly role: "chat" | "admin";
  /** Stable id of the browser that holds the cookie. */
  readonly visitor: string;
}

/** Answers a request, or gives undefined to let others answer. The web platform's own types; no library's. */
export type HttpHandler = (request: Request, who: HttpIdentity | undefined) => Promise<Response | undefined>;

/** Named actions beyond sending; completed with the `message` tool. */
export interface ChannelActions {
  /** The target that a tool call sends to, or undefined when it does not send. Never throws, whatever the arguments. */
  extractToolSend(call: { readonly args: unknown }): { readonly to: string; readonly threadId?: string } | undefined;
}

/**
 * Everything that a channel is: data, pure functions, and `connect`. One without `connect` only shows how answers look there: it takes
 * part in rendering, and no account of it can be configured (CHANNEL_RENDERS_ONLY).
 */
export interface ChannelPlugin<Config = Readonly<Record<string, unknown>>> {
  /** Name in the configuration: [a-z][a-z0-9-]*. */
  readonly id: string;
  /** Name for people. */
  readonly label: string;
  readonly capabilities: ChannelCapabilities;
  /** Schema of an account's own keys; the common ones (dmPolicy, groups, ...) are core's. Strict: it knows all its keys. */
  readonly configSchema: Schema<Config>;
  /** Keys of the account config that hold secrets; their values never appear in logs, errors or status. */
  readonly secretKeys: readonly string[];
  /**
   * Who an account is on the platform, as its configuration tells: the same for every token of one bot, another for another bot.
   * Absent, or undefined, where the configuration cannot tell; then the account's name stands for it. Pure.
   */
  identity?(config: Config): string | undefined;
  render(config: Config): RenderProfile;
  readonly conversation: ConversationRules;
  readonly actions?: ChannelActions;
  readonly access?: {
    /** Canonical form of a sender id for allow lists. */
    normalizeId(id: string): string;
    /** Why an allow-list entry can never be right, with the way to find the right one; undefined when it is fine. */
    refuseEntry?(entry: string): string | undefined;
  };
  /** Where the platform, or its clients, deliver one message in several. */
  readonly fragments?: MessageFragments;
  readonly mentions?: {
    /** The text without the bot's own leading mention. Every other byte stays. */
    strip(text: string, message: InboundMessage): string;
  };
  connect?(config: Config, host: ChannelHost): Transport;
}

/** A channel that accounts can be configured for. */
export type ConnectingChannel<Config = Readonly<Record<string, unknown>>> = ChannelPlugin<Config> &
  Required<Pick<ChannelPlugin<Config>, "connect">>;
