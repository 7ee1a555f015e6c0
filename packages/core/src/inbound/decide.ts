import type { AccountConfig, ChannelPlugin, Decision, Disposition, GatewayConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { accountPath, decideAccess } from "../access/access.ts";
import { authorityOf } from "../access/authorise.ts";
import { type Activation, decideGate } from "../access/gate.ts";
import { decideRoute } from "../routing/route.ts";
import { sessionKeyOf } from "../routing/session-key.ts";
import { BOT_MESSAGES } from "./bot-loop.ts";
import { stopRequestIn } from "./stop-words.ts";

/** What the lane of the message's session does right now; asked only for a bare stop word. */
export interface RunningTurn {
  /** Who said what it answers. */
  readonly senderIds: readonly string[];
  /** It is a command, and over in a moment. */
  readonly isCommand: boolean;
}

export interface InboundInput {
  readonly message: InboundMessage;
  readonly config: GatewayConfig;
  readonly account: AccountConfig;
  readonly channel: Pick<ChannelPlugin, "access" | "capabilities" | "conversation" | "mentions">;
  /** Ms UTC, for the age rule. */
  readonly now: number;
  readonly runningTurn: (sessionKey: string) => RunningTurn | undefined;
  /** An operator approved the sender's pairing on this account. */
  readonly approved: boolean;
  /** What /activation chose in the message's session. */
  readonly activation: Activation | undefined;
  /** The sender is a bot that sent too many messages. */
  readonly looping?: boolean;
  /** It is a reaction to a message of the bot's. */
  readonly reactsToOwn?: boolean;
  /** It is another piece of a message that is to be answered. */
  readonly goesOn?: boolean;
}

/** What is to become of an inbound message: queued for its session, or ended at once. */
export interface InboundVerdict {
  /** Set when the message ends here; null when a turn will end it. */
  readonly disposition: Disposition | null;
  readonly sessionKey: string | null;
  readonly decisions: readonly Decision[];
  /** Strangers' words are not kept: their ids and the reason are. */
  readonly keepText: boolean;
  /** Abort the running turn of the session before this message takes its place in line. */
  readonly stops: boolean;
  /** Abort the running turn as superseded: this message takes its place. */
  readonly interrupts?: boolean;
  /** No rule lets the sender talk here: over a rate, such messages are only counted. */
  readonly stranger: boolean;
}

/** The decisions of steps 3 to 8, in order; the first that ends the message wins. Pure. */
export function decideInbound(input: InboundInput): InboundVerdict {
  const { message, config, account, channel, approved } = input;
  const decisions: Decision[] = [];
  let stranger = false;
  const end = (disposition: Disposition, decision: Decision, keepText = true): InboundVerdict => ({
    disposition,
    sessionKey: null,
    decisions: [...decisions, decision],
    keepText: keepText && !stranger,
    stops: false,
    stranger,
  });

  if (message.sender.isSelf) return end("ignored", { stage: "sender", code: "own-message", why: "the message is the bot's own" });
  if (message.sender.isBot && account.allowBots !== true) {
    const path = `${accountPath(message)}.allowBots`;
    return end("ignored", { stage: "sender", code: "other-bot", why: "the sender is a bot", path }, false);
  }
  if (input.looping === true) {
    const why = `the sender is a bot and sent more than ${BOT_MESSAGES} messages within a minute`;
    return end("ignored", { stage: "sender", code: "bot-loop", why, path: `${accountPath(message)}.allowBots` }, false);
  }

  const access = decideAccess({ message, account, channel, config, approved });
  stranger = !access.allowed;
  if (stranger && !(access.mayPair && message.kind === "message")) return end("denied", access.decision);
  decisions.push(access.decision);

  const reacts = message.kind === "reaction" && account.reactions === true && input.reactsToOwn === true && message.text.trim() !== "";
  if (message.kind !== "message" && !(reacts && !stranger)) {
    return end("context", { stage: "kind", code: message.kind, why: `a ${message.kind} is kept as context and not answered` });
  }
  const age = input.now - message.sentAt;
  if (age > config.messages.maxInboundAge) {
    return end("stale", staleDecision(age));
  }
  // Whether a code is sent is decided in the transaction that accepts the message, where the table of requests can be asked.
  if (stranger) return { disposition: "pairing", sessionKey: null, decisions, keepText: false, stops: false, stranger };

  const route = decideRoute(message, config);
  const agentName = config.agents.list.find((agent) => agent.id === route.agent)?.identity.name ?? route.agent;
  const sessionKey = sessionKeyFor(message, route.agent, config, channel);
  const stop = decideStop(input, sessionKey);
  if (stop)
    return { disposition: null, sessionKey, decisions: [...decisions, stop, route.decision], keepText: true, stops: true, stranger };

  if (input.goesOn === true) {
    const piece = { stage: "gate", code: "piece", why: "it is another piece of a message that is for the bot" };
    return { disposition: null, sessionKey, decisions: [...decisions, piece, route.decision], keepText: true, stops: false, stranger };
  }
  if (reacts) {
    const why = "it is a reaction to a message of the bot's";
    const meant = { stage: "gate", code: "reaction", why, path: `${accountPath(message)}.reactions` };
    return { disposition: null, sessionKey, decisions: [...decisions, meant, route.decision], keepText: true, stops: false, stranger };
  }
  const gate = decideGate({ message, account, agentName, activation: input.activation });
  if (!gate.open) return end("not-mentioned", gate.decision);
  decisions.push(gate.decision);
  if (message.text.trim() === "" && message.media.length === 0) {
    return end("ignored", { stage: "content", code: "empty", why: "the message has neither text nor media" });
  }
  return { disposition: null, sessionKey, decisions: [...decisions, route.decision], keepText: true, stops: false, stranger };
}

/** The decision about a message that comes too late. `age` by the platform's time, ms. */
export function staleDecision(age: number): Decision {
  const why = `the message was ${Math.round(age / 60_000)} minutes old when it arrived`;
  return { stage: "age", code: "stale", why, path: "messages.maxInboundAge" };
}

/** The session that an agent's talk with the sender of a message belongs to. Pure. */
export function sessionKeyFor(message: InboundMessage, agent: string, config: GatewayConfig, channel: InboundInput["channel"]): string {
  return sessionKeyOf({
    agent,
    conversation: message.conversation,
    peer: channel.access?.normalizeId(message.sender.id) ?? message.sender.id,
    dmScope: config.session.dmScope,
    caseSensitive: channel.conversation.caseSensitive,
  });
}

/**
 * Fast abort. /stop counts from any authorised sender; a bare word only while a turn runs, and in a group only from the person whose
 * turn it is, or when the bot is meant.
 */
function decideStop(input: InboundInput, sessionKey: string): Decision | undefined {
  const { message, channel, account, config, approved } = input;
  if (!mayCommand(message) || message.kind !== "message") return undefined;
  const request = stopRequestIn(channel.mentions?.strip(message.text, message) ?? message.text, config.messages.stopWords);
  if (request === undefined) return undefined;
  const { authority, path } = authorityOf({ message, account, channel, config, approved });
  if (authority === "none") return undefined;
  if (request === "word") {
    const running = input.runningTurn(sessionKey);
    if (running === undefined) return undefined;
    const meant =
      message.conversation.kind === "direct" ||
      message.mentions.bot ||
      message.anchor?.senderIsSelf === true ||
      running.senderIds.includes(message.sender.id);
    if (!meant) return undefined;
  }
  return {
    stage: "abort",
    code: request === "command" ? "stop-command" : "stop-word",
    why: "the message asks to stop the running turn",
    path,
  };
}

/** Whether the text can be a command: a forwarded one is somebody else's, and the sender's authority is not theirs. */
export function mayCommand({ forwarded }: Pick<InboundMessage, "forwarded">): boolean {
  return forwarded === undefined;
}

/** Whether the recorded decisions say that this message stops the running turn. */
export function isStop(decisions: readonly Decision[]): boolean {
  return decisions.some((decision) => decision.stage === "abort");
}

/** The decision for a message of an account that the configuration no longer has. */
export function unknownAccount(message: InboundMessage): InboundVerdict {
  const decision = { stage: "access", code: "unknown-account", why: "the configuration has no such account", path: accountPath(message) };
  return { disposition: "denied", sessionKey: null, decisions: [decision], keepText: false, stops: false, stranger: false };
}
