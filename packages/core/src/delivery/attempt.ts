import { GatewayError, type OutboundPart, type Receipt, toGatewayError } from "@trunkline/plugin-sdk";
import { findPart, markSending, type OutboxRow, replaceBody } from "../store/outbox.ts";
import { applyVerdict } from "./apply-verdict.ts";
import { type DeliveryContext, partOf } from "./context.ts";
import type { ConversationQueue } from "./conversation-queue.ts";
import { type Line, ratePlaceOf } from "./line.ts";
import { isPreview, priorityOf } from "./part-kinds.ts";
import { changeHead, putAside, withdraw } from "./put-aside.ts";
import type { RatePlace } from "./rates.ts";
import { recordSent } from "./receipts.ts";
import { settleUnknown } from "./settle-unknown.ts";

/** One step for the head of a conversation: wait, look, or call the platform. */
export async function advance(context: DeliveryContext, queue: ConversationQueue, row: OutboxRow): Promise<void> {
  const part = partOf(row);
  const line = await lineOf(context, queue, row, part);
  if (!line) return;
  // A growing answer that has grown up before anybody saw it.
  if (isPreview(row) && row.op === "send" && row.state === "pending" && queue.isReplaced(row.id)) return withdraw(context, queue, row);
  const wait = context.due.waitOf(row);
  if (wait > 0) return queue.pause(wait);
  if (row.state === "ambiguous") return settleUnknown(context, queue, row, part, line);
  if (!(await mayGo(context, queue, row, ratePlaceOf(part, line)))) return;
  // The account may have gone down, or be another connection, since.
  const now = await lineOf(context, queue, row, part);
  if (now) await attempt(context, queue, row, part, now);
}

/** The line that a part leaves by. Without one it waits; where nobody will ever be its sender again, it is put aside. */
async function lineOf(context: DeliveryContext, queue: ConversationQueue, row: OutboxRow, part: OutboundPart): Promise<Line | undefined> {
  const out = context.wayOut(part);
  if (out.way === "open") return out.line;
  const { channel, account } = part.conversation;
  if (out.way === "down") queue.park(`${channel}:${out.account}`);
  // At once: waiting for a bot that may never be back would keep the present one from answering in the conversation.
  else
    await putAside(
      context,
      queue,
      row,
      part,
      new GatewayError("DELIVERY_SENDER_GONE", { detail: { channel, account, sender: part.sendAs ?? "" } }),
    );
  return undefined;
}

/** Waits for its turn in the rates of its account; false when the head is another one since, or the gateway closes. */
async function mayGo({ rates }: DeliveryContext, queue: ConversationQueue, row: OutboxRow, place: RatePlace): Promise<boolean> {
  if (rates.tryEnter(place)) return true;
  let may = false;
  await queue.interruptible(async (signal) => {
    await rates.enter(place, priorityOf(row), signal);
    may = true;
  });
  return may && queue.head === row;
}

async function attempt(
  context: DeliveryContext,
  queue: ConversationQueue,
  given: OutboxRow,
  whole: OutboundPart,
  line: Line,
): Promise<void> {
  const ready = await prepare(context, queue, given, whole, line);
  if (ready === undefined || queue.head?.id !== given.id) return; // cancelled meanwhile
  const { row, part, call } = ready;
  queue.inFlight = true;
  context.unrecorded.add(row.id);
  const outcome = await call(context.cut).then(
    (receipt) => ({ receipt }),
    (error: unknown) => ({ error }),
  );
  queue.inFlight = false;
  if ("receipt" in outcome) return recordSent(context, queue, row, part, outcome.receipt);
  const tried = { ...row, attempts: row.attempts + 1 };
  // The gateway closes in good order: that is no end during a send that counts against the part.
  if (context.cut.aborted) return changeHead(context, queue, { ...tried, state: "ambiguous" });
  const failure = toGatewayError(outcome.error, "DELIVERY_OUTCOME_UNKNOWN", { channel: part.conversation.channel });
  return applyVerdict(context, queue, tried, part, failure, line);
}

interface Ready {
  readonly row: OutboxRow;
  readonly part: OutboundPart;
  readonly call: (signal: AbortSignal) => Promise<Receipt>;
}

/** Brings a part to where its platform call may begin: what has to be on disk before it, is. */
async function prepare(
  context: DeliveryContext,
  queue: ConversationQueue,
  row: OutboxRow,
  part: OutboundPart,
  { transport }: Line,
): Promise<Ready | undefined> {
  const { store } = context;
  if (row.op !== "send") {
    const messageId = await messageReplacedBy(context, part);
    const { edit, remove } = transport;
    if (row.op === "delete") {
      if (messageId === undefined || remove === undefined) return void (await withdraw(context, queue, row));
      const call = async (signal: AbortSignal): Promise<Receipt> => {
        await remove.call(transport, part, messageId, signal);
        return { messageId };
      };
      return { row, part, call };
    }
    // Repeated, it changes nothing: it needs no mark that it may have been seen.
    if (messageId !== undefined && edit !== undefined)
      return { row, part, call: async (signal) => edit.call(transport, part, messageId, signal) };
    // Nothing to replace: from here on it is a message, and a crash must find it as one.
    const { replaces: _none, ...message } = part;
    const bodyJson = JSON.stringify(message);
    await store.write(async (tx) => {
      await replaceBody(tx, { id: row.id, op: "send", bodyJson });
      if (row.state === "pending") await markSending(tx, row.id);
    }, "durable");
    const asMessage: OutboxRow = { ...row, op: "send", bodyJson };
    if (queue.head !== row) return undefined;
    queue.replaceHead(asMessage);
    return { row: asMessage, part: message, call: async (signal) => transport.send(message, signal) };
  }
  if (row.state === "pending") await store.write((tx) => markSending(tx, row.id), "durable");
  return { row, part, call: async (signal) => transport.send(part, signal) };
}

/** The platform's id of the message that a part replaces; undefined when none was sent. */
async function messageReplacedBy({ store }: DeliveryContext, { replaces }: OutboundPart): Promise<string | undefined> {
  const target = replaces === undefined ? undefined : await store.read((tx) => findPart(tx, replaces));
  if (target?.state !== "sent" || target.receiptJson === null) return undefined;
  return (JSON.parse(target.receiptJson) as Receipt).messageId; // written by `recordSent`
}
