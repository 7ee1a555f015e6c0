import type { OutboundPart, ReconcileResult, Store, StoreTx } from "@trunkline/plugin-sdk";
import { type MessageRow, newestPlatformIds, newestSentPlatformId, recentMessages } from "../store/messages.ts";
import type { OutboxRow } from "../store/outbox.ts";
import type { Line } from "./line.ts";

/** Newest message ids of the account that a transport gets as evidence. */
const EVIDENCE_LIMIT = 50;

export interface ReconcileInput {
  readonly row: OutboxRow;
  readonly part: OutboundPart;
  readonly line: Line;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/**
 * What became of a part with unknown outcome. On an idempotent channel a resend is the same message, so "absent" is the right
 * answer; on one that nobody can ask, the account's policy decides.
 */
export async function reconcilePart({ row, part, line, store, signal }: ReconcileInput): Promise<ReconcileResult> {
  if (line.capabilities.delivery === "idempotent") return { outcome: "absent" };
  if (line.capabilities.delivery === "at-least-once" || !line.transport.reconcile) {
    return { outcome: "undecided", why: "the platform has no way to find out" };
  }
  const { channel, account } = part.conversation;
  const evidence = await store.read(async (tx) => {
    const last = await lastBefore(tx, row);
    const newest = await newestPlatformIds(tx, { channel, account, limit: EVIDENCE_LIMIT });
    return { ...(last ? { lastKnownId: last.platformId } : {}), newestSeenIds: newest.map((message) => message.platformId) };
  });
  return line.transport.reconcile(part, evidence, signal);
}

/**
 * The newest message of the conversation that is surely older than the part: the last one of ours, since parts go one by one, or
 * one that had come before the part was made. What people wrote after that may stand behind the part on the platform.
 */
async function lastBefore(tx: StoreTx, row: OutboxRow): Promise<MessageRow | undefined> {
  const ours = await newestSentPlatformId(tx, { conv: row.conv });
  const [earlier] = await recentMessages(tx, { conv: row.conv, before: { at: row.createdAt + 1, platformId: "" }, limit: 1 });
  return ours !== undefined && (earlier === undefined || ours.at >= earlier.at) ? ours : earlier;
}
