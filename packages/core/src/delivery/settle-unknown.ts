import {
  describeError,
  GatewayError,
  isGatewayError,
  type OutboundPart,
  type ReconcileResult,
  toGatewayError,
} from "@trunkline/plugin-sdk";
import type { OutboxRow } from "../store/outbox.ts";
import { backoffMs } from "./backoff.ts";
import { type DeliveryContext, logFieldsOf } from "./context.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import type { Line } from "./line.ts";
import { isPreview } from "./part-kinds.ts";
import { GIVE_UP_MS } from "./apply-verdict.ts";
import { changeHead, putAside, withdraw } from "./put-aside.ts";
import { recordSent } from "./receipts.ts";
import { reconcilePart } from "./reconcile.ts";

/** Ends of the process during one part's sends; then it is put aside unasked, as it may be the cause. */
const MAX_INTERRUPTS = 3;

/** Finds out what became of a part whose outcome is unknown, before anything else of its conversation. */
export async function settleUnknown(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  line: Line,
): Promise<void> {
  const { counts, logger } = context;
  if (row.interrupts >= MAX_INTERRUPTS) {
    return putAside(context, queue, row, part, new GatewayError("DELIVERY_POISON", { detail: { times: row.interrupts } }));
  }
  // An edit or a deletion that is repeated changes nothing.
  if (row.op !== "send") return changeHead(context, queue, { ...row, state: "pending" });
  const { store, cut, closing } = context;
  let result: ReconcileResult;
  try {
    result = await reconcilePart({ row, part, line, store, signal: cut });
  } catch (error) {
    if (!closing.aborted) await notKnown(context, queue, row, part, error);
    return;
  }
  if (closing.aborted) return;
  const why = result.outcome === "undecided" ? result.why : undefined;
  logger.info({ ...logFieldsOf(row, part), outcome: result.outcome, why }, "a part with unknown outcome was settled");
  if (result.outcome === "sent") {
    counts.foundSent += 1;
    return recordSent(context, queue, row, part, result.receipt);
  }
  // On an idempotent channel "absent" means that a repeated send is the same message: that also keeps hold of a preview.
  const again = line.capabilities.delivery === "idempotent" || !isPreview(row);
  if (result.outcome === "absent") {
    counts.foundAbsent += 1;
    return again ? changeHead(context, queue, { ...row, state: "pending", nextAt: 0 }) : withdraw(context, queue, row);
  }
  if (line.onAmbiguous === "hold" || !again) {
    counts.undecidedHeld += 1;
    return putAside(context, queue, row, part, { code: "DELIVERY_OUTCOME_UNKNOWN", message: result.why });
  }
  counts.undecidedResent += 1;
  return changeHead(context, queue, { ...row, state: "pending", nextAt: 0 });
}

/** The platform could not be asked: again after a while, but not for ever, and not where it will never say. */
async function notKnown(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  error: unknown,
): Promise<void> {
  const fields = { ...logFieldsOf(row, part), error: describeError(error) };
  if (isGatewayError(error, "DELIVERY_REFUSED", "DELIVERY_NO_ACCESS") || context.clock.now() - row.createdAt > GIVE_UP_MS) {
    context.counts.undecidedHeld += 1;
    context.logger.warn(fields, "the platform does not say what became of a part");
    return putAside(context, queue, row, part, { code: "DELIVERY_OUTCOME_UNKNOWN", message: toGatewayError(error).message });
  }
  context.logger.warn(fields, "reconciling failed; it is tried again");
  const attempts = row.attempts + 1;
  return changeHead(context, queue, { ...row, attempts, nextAt: context.clock.now() + backoffMs(attempts, context.random()) });
}
