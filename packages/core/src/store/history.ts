import {
  type ConversationRef,
  conversationKey,
  type HistoryEntry,
  type InboundMessage,
  type OutboundPart,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { findInboundById } from "./inbox.ts";
import { recentMessages } from "./messages.ts";
import { findPart } from "./outbox.ts";

/** The newest messages of a conversation with their bodies, oldest first. */
export async function readHistory(tx: StoreTx, conversation: ConversationRef, limit: number): Promise<readonly HistoryEntry[]> {
  const rows = await recentMessages(tx, { conv: conversationKey(conversation), limit });
  const entries: HistoryEntry[] = [];
  for (const row of rows.toReversed()) {
    const base = { direction: row.direction, id: row.platformId, at: row.at };
    if (row.direction === "in") {
      const inbox = row.ref === null ? undefined : await findInboundById(tx, row.ref);
      entries.push(inbox?.bodyJson ? { ...base, inbound: JSON.parse(inbox.bodyJson) as InboundMessage } : base); // written at accept
    } else {
      const part = row.ref === null ? undefined : await findPart(tx, row.ref);
      entries.push(part ? { ...base, key: part.key, part: JSON.parse(part.bodyJson) as OutboundPart } : base); // written at commit
    }
  }
  return entries;
}
