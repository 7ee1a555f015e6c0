import type { ErrorCode, GatewayError, OutboundPart } from "@trunkline/plugin-sdk";
import { buryPart } from "../store/dead-letters.ts";
import { insertParts, type OutboxRow, recordAttempt } from "../store/outbox.ts";
import { type DeliveryContext, logFieldsOf } from "./context.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import { isAnswer, isPreview } from "./part-kinds.ts";

/** Why a part goes no further. */
export type Cause = Pick<GatewayError, "code" | "message">;

/** Nothing would get through, or by a bot that was never written to, or the part may have arrived. */
const UNTOLD: readonly ErrorCode[] = ["DELIVERY_NO_ACCESS", "DELIVERY_SENDER_GONE", "DELIVERY_OUTCOME_UNKNOWN"];

/** The cause as the outbox keeps it. */
export function causeJson({ code, message }: Cause): string {
  return JSON.stringify({ code, message });
}

/** Records a changed head and keeps it. Lazy: what a crash forgets of it is found out again. */
export async function changeHead(context: DeliveryContext, queue: ConversationQueue, row: OutboxRow): Promise<void> {
  queue.replaceHead(row);
  await context.store.write((tx) => recordAttempt(tx, row), "lazy");
  context.unrecorded.delete(row.id);
}

/** Takes back what was only for show. Nobody is told, and nothing is missing. */
export async function withdraw(context: DeliveryContext, queue: ConversationQueue, row: OutboxRow, cause?: Cause): Promise<void> {
  const errorJson = cause === undefined ? row.errorJson : causeJson(cause);
  await context.store.write((tx) => recordAttempt(tx, { ...row, state: "cancelled", errorJson }), "committed");
  context.unrecorded.delete(row.id);
  queue.shift();
}

/**
 * Puts a part aside as a dead letter, so that its conversation goes on, and tells the person once per answer. A notice that dies tells
 * nobody: the next would die too.
 */
export async function putAside(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  cause: Cause,
): Promise<void> {
  if (isPreview(row)) return withdraw(context, queue, row, cause);
  const tells = isAnswer(row) && !UNTOLD.includes(cause.code);
  const notice = tells ? context.noticeOf(row, part) : [];
  const errorJson = causeJson(cause);
  const stored = await context.store.write(
    async (tx) => {
      await buryPart(tx, { id: row.id, turn: row.turn, attempts: row.attempts, errorJson, deadAt: context.clock.now() });
      return insertParts(tx, notice);
    },
    notice.length > 0 ? "durable" : "committed",
  );
  context.unrecorded.delete(row.id);
  queue.shift();
  context.enqueue(stored);
  context.hooks.emit("delivery:dead", { part: row.id, turn: row.turn, code: cause.code });
  context.logger.error({ ...logFieldsOf(row, part), code: cause.code }, "a part could not be delivered and is put aside");
}
