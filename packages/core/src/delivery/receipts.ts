import { describeError, type Durability, isGatewayError, type OutboundPart, type Receipt, type StoreTx } from "@trunkline/plugin-sdk";
import { refreshDelivery } from "../store/delivery-state.ts";
import { forgetMessage, saveMessage } from "../store/messages.ts";
import { markSending, type OutboxRow, recordReceipt } from "../store/outbox.ts";
import { type DeliveryContext, logFieldsOf } from "./context.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import { countsInDelivery, isPreview } from "./part-kinds.ts";

/** A receipt that the store refused is offered again after so long, ms. */
const RECEIPT_PAUSE_MS = 1_000;

/** Transaction D. The next part becomes `sending` in the same transaction, so that one commit does for both. */
export async function recordSent(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  receipt: Receipt,
): Promise<void> {
  const at = context.clock.now();
  const next = queue.behind;
  const unit = persist(
    context,
    (tx) => writeReceipt(tx, { row, part, receipt, at, next }),
    // `sending` has to be on disk before the next part goes out; a last receipt can be found out again.
    next ? "durable" : "lazy",
  );
  context.onSent(part, at);
  if (!isPreview(row)) context.hooks.emit("delivery:sent", { part: row.id, turn: row.turn, messageId: receipt.messageId });
  context.logger[isPreview(row) ? "debug" : "info"](logFieldsOf(row, part), "part sent");
  queue.shift();
  if (next) {
    queue.recorded = unit.catch(() => {});
    await unit;
    context.unrecorded.delete(row.id);
    if (queue.head === next && next.state === "pending") queue.replaceHead({ ...next, state: "sending" });
    return;
  }
  queue.recorded = unit.then(
    () => context.unrecorded.delete(row.id),
    (error: unknown) => {
      // Sent but not recorded: the row still says `sending`, so it is reconciled, not lost.
      context.logger.error({ part: row.id, error: describeError(error) }, "a receipt could not be stored; the part will be reconciled");
      context.reload(row.conv);
    },
  );
}

/** Writes what only this process knows, the platform's receipt, as often as the store cannot take it. */
async function persist(
  { store, clock, closing, logger }: DeliveryContext,
  unit: (tx: StoreTx) => Promise<void>,
  durability: Durability,
): Promise<void> {
  for (;;) {
    try {
      return await store.write(unit, durability);
    } catch (error) {
      if (!isGatewayError(error) || !error.retryable || closing.aborted) throw error;
      logger.warn({ error: describeError(error) }, "a receipt cannot be stored now; it is tried again");
      await clock.sleep(RECEIPT_PAUSE_MS, closing).catch(() => {});
    }
  }
}

interface ReceiptArgs {
  readonly row: OutboxRow;
  readonly part: OutboundPart;
  readonly receipt: Receipt;
  readonly at: number;
  readonly next: OutboxRow | undefined;
}

async function writeReceipt(tx: StoreTx, { row, part, receipt, at, next }: ReceiptArgs): Promise<void> {
  await recordReceipt(tx, { id: row.id, receiptJson: JSON.stringify(receipt), sentAt: at });
  if (row.op === "delete") await forgetMessage(tx, { conv: row.conv, platformId: receipt.messageId });
  else
    await saveMessage(tx, {
      conv: row.conv,
      platformId: receipt.messageId,
      direction: "out",
      author: "",
      text: part.text?.plain ?? "",
      replyTo: part.replyToId ?? null,
      ref: row.id,
      at,
    });
  if (next?.state === "pending") await markSending(tx, next.id);
  // With more of the same answer behind it, the delivery stays `pending`.
  const goesOn = next !== undefined && next.turn === row.turn && countsInDelivery(next);
  if (countsInDelivery(row) && !goesOn) await refreshDelivery(tx, row.turn);
}
