import {
  type ChannelHost,
  type ConversationRef,
  conversationKey,
  type HistoryEntry,
  type InboundMessage,
  type OutboundPart,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { findInboundById } from "./inbox.ts";
import { findMessage, type MessageRow, recentMessages } from "./messages.ts";
import { findPart } from "./outbox.ts";

/** The newest messages of a conversation with their bodies, oldest first; with `before`, those older than that one. */
export async function readHistory(
  tx: StoreTx,
  conversation: ConversationRef,
  options: Parameters<ChannelHost["history"]>[1],
): Promise<readonly HistoryEntry[]> {
  const { limit, before } = options;
  const older = before === undefined ? {} : { before: { at: before.at, platformId: before.id } };
  const rows = await recentMessages(tx, { conv: conversationKey(conversation), limit, ...older });
  const entries: HistoryEntry[] = [];
  for (const row of rows.toReversed()) entries.push(await readEntry(tx, row));
  return entries;
}

/** One message of a conversation with its body. */
export async function readHistoryEntry(tx: StoreTx, conversation: ConversationRef, id: string): Promise<HistoryEntry | undefined> {
  const row = await findMessage(tx, { conv: conversationKey(conversation), platformId: id });
  return row && readEntry(tx, row);
}

async function readEntry(tx: StoreTx, row: MessageRow): Promise<HistoryEntry> {
  const base = { direction: row.direction, id: row.platformId, at: row.at };
  if (row.direction === "in") {
    const inbox = row.ref === null ? undefined : await findInboundById(tx, row.ref);
    return inbox?.bodyJson ? { ...base, inbound: JSON.parse(inbox.bodyJson) as InboundMessage } : base; // written at accept
  }
  const part = row.ref === null ? undefined : await findPart(tx, row.ref);
  return part ? { ...base, key: part.key, part: JSON.parse(part.bodyJson) as OutboundPart } : base; // written at commit
}
