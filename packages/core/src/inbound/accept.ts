import {
  type ConfigSnapshot,
  conversationKey,
  type Decision,
  type InboundMessage,
  type ReceiveResult,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { acceptInbound, type AcceptResult, type AcceptRow, type InboxRow } from "../store/inbox.ts";
import { saveMessage } from "../store/messages.ts";
import type { InboundVerdict } from "./decide.ts";

/** Longest text that is stored of one message, in characters (about 256 kB); the rest is cut and said to be. */
export const STORED_TEXT_CHARS = 256_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A message with what was decided about it, ready for its transaction. */
export interface Judged {
  readonly message: InboundMessage;
  readonly verdict: InboundVerdict;
  readonly row: AcceptRow;
}

/** The inbox row of a judged message. Of a stranger only ids and the reason are kept. */
export function judgedRow(id: string, message: InboundMessage, verdict: InboundVerdict, config: ConfigSnapshot, now: number): AcceptRow {
  const { conversation } = message;
  return {
    id,
    conv: conversationKey(conversation),
    channel: conversation.channel,
    account: conversation.account,
    conversation: conversation.id,
    thread: conversation.threadId ?? "",
    platformId: message.id,
    kind: message.kind,
    version: versionOf(message),
    sessionKey: verdict.sessionKey,
    state: verdict.disposition === null ? "open" : "done",
    disposition: verdict.disposition,
    decisionsJson: JSON.stringify(verdict.decisions.map((decision) => withOrigin(decision, config))),
    configRev: config.revision,
    bodyJson: JSON.stringify(verdict.keepText ? capText(message) : withoutWords(message)),
    receivedAt: now,
    sentAt: plausibleTime(message.sentAt, now),
  };
}

/** Tells the events of one message apart; and two bots that had one account after each other, whose private chats both count from 1. */
function versionOf({ eventId = "", receivedAs }: InboundMessage): string {
  return receivedAs === undefined ? eventId : `${receivedAs}/${eventId}`;
}

/** Adds the file and line that decided, as they are now: a later edit of the file does not change history. */
export function withOrigin(decision: Decision, config: ConfigSnapshot): Decision {
  if (decision.path === undefined) return decision;
  const origin = config.origin(decision.path);
  return { ...decision, at: origin ? `${origin.file}:${origin.line}` : "built-in default" };
}

/**
 * Claims a message: whether the platform sent this very event before. The claim is the unique key of the inbox, taken in the same
 * transaction that enqueues the message; content is never the key. A duplicate only raises the first row's counter.
 */
export async function shouldSkipDuplicateInbound(tx: StoreTx, row: AcceptRow): Promise<AcceptResult> {
  return acceptInbound(tx, row);
}

/** One message's part of transaction A: claim, number, enqueue, and the message index unless its words are not kept. */
export async function acceptJudged(tx: StoreTx, { message, verdict, row }: Judged): Promise<AcceptResult> {
  const result = await shouldSkipDuplicateInbound(tx, row);
  if (!result.duplicate && verdict.keepText && message.kind === "message") {
    await saveMessage(tx, {
      conv: row.conv,
      platformId: message.id,
      direction: "in",
      author: message.sender.id,
      text: capText(message).text,
      replyTo: message.anchor?.messageId ?? null,
      ref: row.id,
      at: row.receivedAt,
    });
  }
  return result;
}

/** The row as the store now holds it, so that an idle lane need not read it back. */
export function acceptedRow(judged: Judged, result: AcceptResult): InboxRow {
  return { ...judged.row, seq: result.seq, delivery: null, duplicates: 0, turn: null };
}

/** What the channel is told of an accepted message. */
export function receipt(result: AcceptResult): ReceiveResult {
  return { id: result.id, duplicate: result.duplicate };
}

/** The platform's time, or ours where it cannot be one: an event with an absurd date is still an event. */
function plausibleTime(sentAt: number, now: number): number {
  return Number.isSafeInteger(sentAt) && sentAt >= 0 && sentAt <= now + DAY_MS ? sentAt : now;
}

function capText(message: InboundMessage): InboundMessage {
  if (message.text.length <= STORED_TEXT_CHARS) return message;
  return { ...message, text: `${message.text.slice(0, STORED_TEXT_CHARS)}\n(the message was longer; the rest was cut)` };
}

/** A stranger's message as it may be kept and shown: who, where and when, and nothing of what was said. */
export function withoutWords({ kind, id, conversation, receivedAs, sender, labels, sentAt }: InboundMessage): InboundMessage {
  return {
    kind,
    id,
    conversation,
    ...(receivedAs === undefined ? {} : { receivedAs }),
    sender: { id: sender.id, isBot: sender.isBot, isSelf: sender.isSelf },
    text: "",
    media: [],
    mentions: { bot: false, others: [] },
    // Of the place: by it a link to the message finds why it was denied.
    ...(labels?.handle === undefined ? {} : { labels: { handle: labels.handle } }),
    sentAt,
  };
}
