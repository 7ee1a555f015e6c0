import {
  type ChannelPlugin,
  type ConversationRef,
  decodeKeyPart,
  type GatewayConfig,
  GatewayError,
  type InboundMessage,
} from "@trunkline/plugin-sdk";

// Any channel's config type: only the channel itself looks inside.
// oxlint-disable-next-line typescript/no-explicit-any
type Channel = Pick<ChannelPlugin<any>, "access" | "conversation" | "label">;
type Channels = ReadonlyMap<string, Channel>;

/** A message to imagine. */
export interface DryRunQuery {
  readonly channel: string;
  /** Default: the channel's only account, or `main`. */
  readonly account?: string | undefined;
  /** `dm:ID`, `group:ID`, `channel:ID`, with `:THREAD` behind; a colon inside an id is written %3A. */
  readonly peer: string;
  /** Who writes. Default: in a direct conversation its peer, in a group somebody who is on no list. */
  readonly sender?: string | undefined;
  /** Default: an ordinary sentence. */
  readonly text?: string | undefined;
  /** Whether the platform says that the bot is mentioned. */
  readonly mention?: boolean | undefined;
}

/** The message of a query. CHANNEL_UNKNOWN or GATEWAY_USAGE when it names what the configuration does not have. Pure. */
export function imagineMessage(query: DryRunQuery, config: GatewayConfig, now: number, channels: Channels): InboundMessage {
  const conversation = conversationOf(query, config);
  const channel = channels.get(conversation.channel);
  if (!channel) throw new GatewayError("CHANNEL_UNKNOWN", { detail: { channel: conversation.channel } });
  checkIds(conversation, query.sender, channel);
  const sender = query.sender ?? (conversation.kind === "direct" ? conversation.id : "");
  return {
    kind: "message",
    id: "dry-run",
    conversation,
    sender: { id: sender, isBot: false, isSelf: false },
    text: query.text ?? "Hello there.",
    media: [],
    mentions: { bot: query.mention ?? false, others: [] },
    sentAt: now,
  };
}

function conversationOf({ channel, account, peer }: DryRunQuery, config: GatewayConfig): ConversationRef {
  const accounts = Object.keys(Object.hasOwn(config.channels, channel) ? config.channels[channel]!.accounts : {});
  if (accounts.length === 0) {
    const known = Object.keys(config.channels).join(", ");
    throw new GatewayError("CHANNEL_UNKNOWN", { detail: { channel }, hint: `The configuration has: ${known}.` });
  }
  const chosen = account ?? (accounts.length === 1 ? accounts[0]! : "main");
  if (!accounts.includes(chosen)) {
    const reason = account === undefined ? "--account is missing" : `${channel} has no account ${account}`;
    throw usage(`${reason}; it has ${accounts.join(", ")}`);
  }
  const [kind = "", id = "", threadId, ...rest] = peer.split(":");
  if (!["dm", "group", "channel"].includes(kind) || id === "" || threadId === "" || rest.length > 0) {
    throw usage(`${peer.slice(0, 100)} is no peer; write dm:ID, group:ID or group:ID:THREAD, and a colon inside an id as %3A`);
  }
  return {
    channel,
    account: chosen,
    kind: kind === "dm" ? "direct" : kind === "group" ? "group" : "channel",
    id: decodeKeyPart(id),
    ...(threadId === undefined ? {} : { threadId: decodeKeyPart(threadId) }),
  };
}

/** An id that the platform cannot have would get an answer about nobody. */
function checkIds(conversation: ConversationRef, sender: string | undefined, channel: Channel): void {
  const { kind, id } = conversation;
  const target = channel.conversation.normalizeTarget(id);
  if (!target.ok) throw usage(`${id.slice(0, 100)} is no conversation of ${channel.label}. ${target.hint}`);
  if (target.id.id !== id && target.id.threadId === undefined) throw usage(`${id.slice(0, 100)} is written ${target.id.id} here`);
  if ((target.id.kind === "direct") !== (kind === "direct")) {
    throw usage(`${id} is a ${target.id.kind === "direct" ? "person: write dm" : `${target.id.kind}: write ${target.id.kind}`}:${id}`);
  }
  const refused = sender === undefined ? undefined : channel.access?.refuseEntry?.(sender);
  if (refused !== undefined) throw usage(`${sender!.slice(0, 100)} is no sender of ${channel.label}. ${refused}`);
}

function usage(reason: string): GatewayError {
  return new GatewayError("GATEWAY_USAGE", { detail: { reason } });
}
