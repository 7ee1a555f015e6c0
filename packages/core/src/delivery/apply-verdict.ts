import type { GatewayError, OutboundPart } from "@trunkline/plugin-sdk";
import { insertParts, type NewPart, type OutboxRow, recordAttempt, replaceBody } from "../store/outbox.ts";
import { backoffMs } from "./backoff.ts";
import { type DeliveryContext, logFieldsOf } from "./context.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import { type Line, ratePlaceOf } from "./line.ts";
import { isPreview } from "./part-kinds.ts";
import { causeJson, changeHead, putAside, withdraw } from "./put-aside.ts";
import type { RatePlace } from "./rates.ts";
import { judgeSendError, type SendVerdict } from "./verdict.ts";

/** A transient refusal is tried again for this long, then given up. Ms. */
export const GIVE_UP_MS = 24 * 60 * 60 * 1000;

/** Sends of one part whose outcome stayed unknown, each perhaps visible; then it is put aside. */
const UNKNOWN_ATTEMPTS = 6;

/** Wait of a part whose account's token was refused: somebody has to mend it, or it was a passing fault of the platform. Ms. */
const REJECTED_WAIT_MS = 60_000;

/** Longest wait that a platform may ask for, ms. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;

/** Does to a part what the error of its platform call means. `row.attempts` counts the call. */
export async function applyVerdict(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  error: GatewayError,
  line: Line,
): Promise<void> {
  const verdict = verdictOf(context, row, part, error);
  const fields = { ...logFieldsOf(row, part), code: error.code, attempt: row.attempts, action: verdict.action };
  context.logger.warn({ ...fields, detail: error.detail, error: error.message }, "a send failed");
  if (error.code === "DELIVERY_RETRY" && error.retryAfterMs !== undefined) {
    const scope = error.detail["scope"] === "account" ? "account" : "chat";
    context.rates.limited(ratePlaceOf(part, line), scope, Math.min(error.retryAfterMs, LONGEST_WAIT_MS));
  }
  const errorJson = causeJson(error);
  switch (verdict.action) {
    case "bury":
      return putAside(context, queue, row, part, error);
    case "reconcile":
      return lookFor(context, queue, row, part, error);
    case "park":
      return park(context, queue, row, ratePlaceOf(part, line), error);
    case "split":
      return splitUp(context, queue, row, verdict.parts, errorJson);
    case "reformat": {
      const op = verdict.part.replaces === undefined && row.op === "edit" ? "send" : row.op;
      const bodyJson = JSON.stringify(verdict.part);
      await context.store.write((tx) => replaceBody(tx, { id: row.id, op, bodyJson }), "committed");
      return changeHead(context, queue, { ...row, op, bodyJson, state: "pending", nextAt: 0, errorJson });
    }
    case "retry": {
      // What is only for show is dropped first: the answer itself will come.
      if (isPreview(row) && row.op === "send") return withdraw(context, queue, row, error);
      const wait = Math.min(error.retryAfterMs ?? backoffMs(row.attempts, context.random()), LONGEST_WAIT_MS);
      return changeHead(context, queue, { ...row, state: "pending", nextAt: context.clock.now() + wait, errorJson });
    }
  }
}

function verdictOf({ clock }: DeliveryContext, row: OutboxRow, part: OutboundPart, error: GatewayError): SendVerdict {
  const verdict = judgeSendError(error, part, row.op);
  return verdict.action === "retry" && clock.now() - row.createdAt > GIVE_UP_MS ? { action: "bury" } : verdict;
}

async function lookFor(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  error: GatewayError,
): Promise<void> {
  context.counts.ambiguous += 1;
  if (row.attempts >= UNKNOWN_ATTEMPTS) return putAside(context, queue, row, part, error);
  // The first look is at once: most lost answers are found. A platform that keeps failing is not hammered.
  const wait = row.attempts === 1 ? 0 : backoffMs(row.attempts, context.random());
  return changeHead(context, queue, { ...row, state: "ambiguous", nextAt: context.clock.now() + wait, errorJson: causeJson(error) });
}

async function park(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  { channel, account }: RatePlace,
  error: GatewayError,
): Promise<void> {
  queue.park(`${channel}:${account}`);
  context.clock.timer(REJECTED_WAIT_MS, () => context.wakeAccount(channel, account));
  context.onRejected(channel, account, error);
  return changeHead(context, queue, { ...row, state: "pending", attempts: row.attempts - 1, errorJson: causeJson(error) });
}

/** One transaction: the part is cancelled, and its halves stand where it stood. Durable, as everything before its first send. */
async function splitUp(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  parts: readonly OutboundPart[],
  errorJson: string,
): Promise<void> {
  const halves = parts.map((part, index): NewPart => ({
    id: part.id,
    conv: row.conv,
    seq: row.seq,
    part: row.part,
    turn: row.turn,
    kind: row.kind,
    key: part.key,
    op: index === 0 ? row.op : "send",
    bodyJson: JSON.stringify(part),
    createdAt: row.createdAt,
  }));
  await context.store.write(async (tx) => {
    await recordAttempt(tx, { ...row, state: "cancelled", errorJson });
    await insertParts(tx, halves);
  }, "durable");
  context.unrecorded.delete(row.id);
  queue.reload();
}
