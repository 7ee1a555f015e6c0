import type { AccountConfig, AgentConfig, ChannelPlugin, ConfigSnapshot, Decision, InboundMessage } from "@trunkline/plugin-sdk";
import type { Authority } from "../access/authorise.ts";
import type { TurnJournal } from "../journal/turn-journal.ts";
import type { TurnPrefix } from "./prefix.ts";
import type { Steering } from "./steering.ts";
import type { ToolSends } from "./tool-sends.ts";
import type { InboxRow } from "../store/inbox.ts";

/** One inbound batch on its way to one reply: what is known when it starts, and never changes while it runs. */
export interface Turn {
  /** `tn_...`, derived from the inbox id, so that a turn that is run again after a crash is the same turn. */
  readonly id: string;
  /** The message that it begins with. */
  readonly row: InboxRow;
  /** All that it answers from its start, in order, the first included. */
  readonly rows: readonly InboxRow[];
  /** The first message, with the words and media of all. */
  readonly message: InboundMessage;
  /** The text without the bot's own mention. */
  readonly text: string;
  /** The text says itself who says what of it. */
  readonly named: boolean;
  readonly decisions: readonly Decision[];
  readonly config: ConfigSnapshot;
  readonly account: AccountConfig;
  readonly agent: AgentConfig;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channel: ChannelPlugin<any>;
  readonly sessionKey: string;
  readonly authority: Authority;
  /** Config path that gave or withheld the authority. */
  readonly authorityPath: string;
  /** What this message stopped when it was accepted. */
  readonly stopped: number;
  /** Starts of this turn, this one included. */
  readonly attempts: number;
  /** An earlier start may have left something behind: parts, or a preview. */
  readonly resumed: boolean;
  /** What earlier starts did, and what this one does. */
  readonly journal: TurnJournal;
  /** Messages that join it while it runs. */
  readonly steering: Steering;
  /** What its tools sent. */
  readonly sends: ToolSends;
  readonly prefix: TurnPrefix;
  readonly signal: AbortSignal;
}
