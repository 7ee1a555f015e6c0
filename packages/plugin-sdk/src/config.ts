import type { ConversationKind } from "./message.ts";
import type { ModelInfo, ThinkingLevel } from "./model.ts";
import type { MarkdownTableMode } from "./render.ts";

/**
 * The configuration after parsing, defaults filled in. The keys are those of config/trunkline.example.yaml; core's schema checks them.
 */
export interface GatewayConfig {
  readonly version: 1;
  /** `channel:account:senderId` of people who own the gateway. */
  readonly owners: readonly string[];
  readonly gateway: {
    readonly host: string;
    readonly port: number;
    /** More names that the Host header of a request may have. */
    readonly allowedHosts: readonly string[];
    readonly maxConcurrentTurns: number;
  };
  readonly store: {
    readonly url?: string;
    /** MB of the disk that stay free: channels are paused below it. */
    readonly diskFloorMb?: number;
  };
  readonly network: { readonly proxy?: string };
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly agents: { readonly defaults: AgentDefaults; readonly list: readonly AgentConfig[] };
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly bindings: readonly BindingConfig[];
  readonly session: { readonly dmScope: DmScope };
  readonly messages: MessagesConfig;
  readonly commands: { readonly allowFrom: readonly string[] };
  readonly logs: { readonly level: "debug" | "info" | "warn" | "error" };
}

export type ProviderType = "openai-compatible" | "anthropic" | "openai" | "google";

export interface ProviderConfig {
  readonly type: ProviderType;
  /** `openai-compatible` always has one; the others have an address of their own. */
  readonly baseUrl?: string;
  /** Several keys take turns when one is refused or limited. */
  readonly apiKey?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** All in ms. */
  readonly timeouts?: {
    readonly connectMs?: number;
    readonly firstByteMs?: number;
    readonly idleMs?: number;
    readonly totalMs?: number;
  };
  /** What the catalogue does not know about a model, or knows wrongly, by the name without the provider. */
  readonly models?: Readonly<Record<string, ModelInfo>>;
}

export interface ModelChoice {
  /** `provider/model`. */
  readonly primary: string;
  readonly fallbacks: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface AgentDefaults {
  readonly model: ModelChoice;
  /** Absent: the model's own default. */
  readonly thinking?: ThinkingLevel;
}

export interface AgentConfig {
  readonly id: string;
  readonly identity: { readonly name: string; readonly emoji?: string };
  /** The instructions themselves; a file reference was read at load. */
  readonly instructions: string;
  readonly model: ModelChoice;
  readonly thinking?: ThinkingLevel;
  /** Tool summaries in direct messages. Absent: off. */
  readonly verbose?: Verbosity;
  /** Template of what stands before its answers. */
  readonly responsePrefix?: string;
  /** What it says differently from `messages.queue`. */
  readonly queue?: Partial<QueueConfig>;
}

/** What is told of tool calls: nothing, a line at the start of each, or their output as well. */
export type Verbosity = "off" | "on" | "full";

/** Which parts of an answer quote the message that it answers: none, the first, or all. */
export type ReplyToMode = "off" | "first" | "all";

export interface ChannelConfig {
  readonly accounts: Readonly<Record<string, AccountConfig>>;
}

/** Keys that every channel's accounts have. */
export interface CommonAccountConfig {
  readonly enabled: boolean;
  readonly dmPolicy: "pairing" | "allowlist" | "open" | "disabled";
  readonly groupPolicy: "allowlist" | "open" | "disabled";
  readonly allowFrom: readonly string[];
  readonly groups: Readonly<Record<string, GroupConfig>>;
  readonly mentionPatterns?: readonly string[];
  readonly onAmbiguous: "resend" | "hold";
  readonly markdown?: MarkdownConfig;
  readonly rates?: RateCaps;
  /** Template of what stands before answers on this account. */
  readonly responsePrefix?: string;
  /** By kind of chat. Absent: off. */
  readonly replyToMode?: Readonly<Partial<Record<ConversationKind, ReplyToMode>>>;
  /** How an answer shows while it grows. Absent: partial. */
  readonly streaming?: StreamingMode;
  /** In place of `messages.inbound.debounceMs`. */
  readonly debounceMs?: number;
  /** Whether other bots are heard. Absent: no. */
  readonly allowBots?: boolean;
  /** Whether a reaction to a message of the bot's is answered like a message. Absent: no. */
  readonly reactions?: boolean;
  /** Unanswered messages of a group that are given with the next answered one. Absent: 50. */
  readonly historyLimit?: number;
}

/** Nothing before the whole answer; a preview where the channel can show one; or messages as the answer grows. */
export type StreamingMode = "off" | "partial" | "block";

/** Limits that an operator sets to what an account sends. Without them nothing is limited before the platform says so. */
export interface RateCaps {
  /** Sends and edits a second, over all chats. */
  readonly perSecond?: number;
  /** Sends and edits a second, in each chat. */
  readonly perChatPerSecond?: number;
}

export interface AccountConfig extends CommonAccountConfig {
  /** The channel's own keys, validated by its schema. */
  readonly own: Readonly<Record<string, unknown>>;
}

export interface GroupConfig {
  readonly requireMention?: boolean;
  readonly allowFrom?: readonly string[];
  readonly agent?: string;
  readonly markdown?: MarkdownConfig;
  readonly replyTo?: ReplyToMode;
  /** Tool summaries in this group. Absent: off, whatever the agent's are. */
  readonly verbose?: Verbosity;
  /** In place of the account's. */
  readonly historyLimit?: number;
}

/**
 * Where a text over the limit is cut. `length`: each message is filled as far as it reads well; `paragraph`: a paragraph that fits into one
 * message is never cut, even if the message before it stays short.
 */
export type ChunkMode = "length" | "paragraph";

/** How text is fitted to a conversation. What is absent is decided elsewhere: by the account, then the channel. */
export interface MarkdownConfig {
  readonly tables?: MarkdownTableMode;
  readonly chunkMode?: ChunkMode;
}

export interface BindingConfig {
  readonly agent: string;
  readonly match: {
    readonly channel?: string;
    readonly account?: string;
    /** `dm:ID`, `group:ID` or `channel:ID`. */
    readonly peer?: string;
    readonly space?: string;
  };
}

export type DmScope = "per-account-channel-peer" | "per-channel-peer" | "per-peer" | "main";

/** What the silent token means: alone it is silence; by `strict` also at the beginning or end of a text, all of which it silences. */
export type SilenceRule = "exact" | "strict";

/**
 * What becomes of messages that come while a turn of their session runs. `collect`: all that wait become one prompt. `followup`: one by one.
 * `steer`: they join the running turn at its next model step. `interrupt`: the running turn is stopped for them. `drop-new`: they are dropped.
 */
export type QueueMode = "collect" | "followup" | "steer" | "interrupt" | "drop-new";

/** Which messages are left out when more wait than `cap`: the oldest, with a word to the agent about them; the oldest; or the newest. */
export type QueueDrop = "summarize" | "old" | "new";

export interface QueueConfig {
  readonly mode: QueueMode;
  /** Silence after the newest waiting message before what waits is collected, ms. Absent: 1000. */
  readonly debounceMs?: number;
  /** Most messages that wait in one session. */
  readonly cap: number;
  /** Absent: summarize. */
  readonly drop?: QueueDrop;
}

export interface MessagesConfig {
  readonly queue: QueueConfig;
  /** Silence after a person's message before it is answered, so that several become one prompt, ms. Absent: 0. */
  readonly inbound?: { readonly debounceMs?: number };
  /** Messages older than this are `stale`: kept, not answered. Ms. */
  readonly maxInboundAge: number;
  readonly silentToken: string;
  readonly silence: SilenceRule;
  /** Words that, as a whole message, stop a running turn. Absent: the built-in ones. */
  readonly stopWords?: readonly string[];
  /** Template of what stands before answers. */
  readonly responsePrefix?: string;
  /** The gateway's own sentences, replaceable one by one. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A place in a configuration file. Line and column count from 1. */
export interface ConfigOrigin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One immutable, numbered state of the configuration. A turn takes one at its start and keeps it. */
export interface ConfigSnapshot {
  readonly revision: number;
  readonly config: GatewayConfig;
  /**
   * Where the value at a dotted path was written (`channels.telegram.accounts.main.dmPolicy`); for an absent key, its nearest
   * written ancestor; undefined when nothing of it was written (a built-in default).
   */
  origin(path: string): ConfigOrigin | undefined;
}

/** The running configuration. */
export interface ConfigSource {
  current(): ConfigSnapshot;
}
