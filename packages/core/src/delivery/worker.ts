import { setMaxListeners } from "node:events";
import {
  type Clock,
  describeError,
  type Durability,
  type GatewayError,
  type Hooks,
  isGatewayError,
  type Logger,
  type OutboundPart,
  type Receipt,
  type Store,
  type StoreTx,
  toGatewayError,
} from "@trunkline/plugin-sdk";
import { saveMessage } from "../store/messages.ts";
import {
  cancelPartsOfTurn,
  markInterrupted,
  markSending,
  openPartConversations,
  openPartsOfConversation,
  type OutboxRow,
  recordAttempt,
  recordReceipt,
  replaceBody,
} from "../store/outbox.ts";
import { backoffMs } from "./backoff.ts";
import type { Line } from "./line.ts";
import { reconcilePart } from "./reconcile.ts";
import { judgeSendError } from "./verdict.ts";

export interface WorkerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hooks: Hooks;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Undefined while the account is not up: its parts wait. */
  readonly lineOf: (channel: string, account: string) => Line | undefined;
  readonly onSent: (part: OutboundPart, at: number) => void;
  /** The platform refused an account's token at a send. */
  readonly onRejected: (channel: string, account: string, error: GatewayError) => void;
}

/** What the worker did with parts whose outcome was unknown; each is one more reason to look at a platform. */
export interface AmbiguityCounts {
  readonly ambiguous: number;
  readonly foundSent: number;
  readonly foundAbsent: number;
  readonly undecidedResent: number;
  readonly undecidedHeld: number;
}

/** Sends what is in the outbox: one part at a time per conversation, conversations side by side. */
export interface DeliveryWorker {
  /** Takes up what an earlier process left: every `sending` part is ambiguous now. */
  start(): Promise<void>;
  /** New parts of a conversation, in order, as the store holds them. */
  enqueue(rows: readonly OutboxRow[]): void;
  /** An account came up: its waiting parts go. */
  wakeAccount(channel: string, account: string): void;
  /** Cancels what of a turn is not being sent yet. */
  cancelTurn(turn: string): Promise<void>;
  counts(): AmbiguityCounts;
  /** Resolves when nothing is in flight; what waits stays in the store. */
  close(): Promise<void>;
}

/** Parts of one conversation in memory; more stay in the table until these are gone. */
const QUEUE_LIMIT = 50;

/** A transient refusal is tried again for this long, then given up. Ms. */
const GIVE_UP_MS = 24 * 60 * 60 * 1000;

/** Time that sends in flight have when the gateway closes, ms. */
const CLOSE_MS = 10_000;

/** Sends of one part whose outcome stayed unknown, each perhaps visible; then it is put aside. */
const UNKNOWN_ATTEMPTS = 6;

/** Wait of a part whose account's token was refused: somebody has to mend it, or it was a passing fault of the platform. Ms. */
const REJECTED_WAIT_MS = 60_000;

/** A receipt that the store refused is offered again after so long, ms. */
const RECEIPT_PAUSE_MS = 1_000;

/** Longest wait that a platform may ask for, ms. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;

interface Queue {
  readonly conv: string;
  rows: OutboxRow[];
  /** The table holds parts behind `rows`. */
  more: boolean;
  /** The table is being read: what is enqueued now may be in the answer or not. */
  loading: boolean;
  /** Raised when what was read from the table no longer holds. */
  reading: number;
  running: Promise<void> | undefined;
  /** Ends the present wait, if any. */
  wake: () => void;
  /** `channel:account` of the line that it waits for. */
  parked: string | undefined;
  /** The head is with the platform right now. */
  inFlight: boolean;
  /** Settles when the last receipt is in the table: until then the table still says `sending` of a part that was sent. */
  recorded: Promise<unknown>;
}

/** Creates the delivery worker. */
export function createDeliveryWorker(deps: WorkerDeps): DeliveryWorker {
  const queues = new Map<string, Queue>();
  /** Parts that were handed to a platform and whose outcome is not in the table yet. */
  const unrecorded = new Set<string>();
  const closing = new AbortController();
  /** Cuts sends that are still in flight when closing takes too long. */
  const cut = new AbortController();
  // One listener per send in flight; their number is bounded by the conversations.
  setMaxListeners(0, closing.signal, cut.signal);
  const counts = { ambiguous: 0, foundSent: 0, foundAbsent: 0, undecidedResent: 0, undecidedHeld: 0 };
  const { store, clock, logger } = deps;

  const queueOf = (conv: string): Queue => {
    const existing = queues.get(conv);
    if (existing) return existing;
    const queue: Queue = {
      conv,
      rows: [],
      more: false,
      loading: false,
      reading: 0,
      running: undefined,
      wake: () => {},
      parked: undefined,
      inFlight: false,
      recorded: Promise.resolve(),
    };
    queues.set(conv, queue);
    return queue;
  };

  const run = (queue: Queue): void => {
    if (closing.signal.aborted || queue.running) return;
    queue.parked = undefined;
    queue.running = drain(queue)
      .catch(async (error: unknown) => {
        // The store refused. What is in memory may be behind it, so the queue is read again after a pause.
        logger.error({ conv: queue.conv, error: describeError(error) }, "delivery paused: the store failed");
        queue.rows = [];
        queue.more = true;
        await pause(queue, 1000);
      })
      .then(() => {
        queue.running = undefined;
        if (queue.parked !== undefined) return;
        if (queue.rows.length > 0 || queue.more) run(queue);
        else queues.delete(queue.conv);
      });
  };

  /** The open parts of a conversation as the table has them; undefined when that changed under the reading. */
  const load = async (queue: Queue): Promise<OutboxRow[] | undefined> => {
    const { reading } = queue;
    queue.loading = true;
    try {
      const rows = await store.read((tx) => openPartsOfConversation(tx, { conv: queue.conv, limit: QUEUE_LIMIT }));
      if (reading !== queue.reading) return undefined;
      // The table still says `sending` of a part whose outcome could not be stored: it may have arrived.
      return rows.map((row) => (row.state === "sending" && unrecorded.has(row.id) ? { ...row, state: "ambiguous" } : row));
    } finally {
      queue.loading = false;
    }
  };

  /** Forgets what is in memory but for a part that is with the platform: the table knows better. */
  const reload = (queue: Queue): void => {
    queue.rows = queue.rows.slice(0, queue.inFlight ? 1 : 0);
    queue.more = true;
    queue.reading += 1;
    queue.wake();
  };

  const drain = async (queue: Queue): Promise<void> => {
    while (!closing.signal.aborted && queue.parked === undefined) {
      if (queue.rows.length === 0) {
        if (!queue.more) return;
        await queue.recorded;
        queue.more = false;
        const rows = await load(queue);
        if (rows === undefined) continue;
        queue.rows = rows;
        queue.more ||= rows.length === QUEUE_LIMIT;
        if (rows.length === 0) return;
      }
      await advance(queue, queue.rows[0]!);
    }
  };

  /** One step for the head of a conversation. */
  const advance = async (queue: Queue, row: OutboxRow): Promise<void> => {
    const part = JSON.parse(row.bodyJson) as OutboundPart; // written by `commit` from an OutboundPart
    const line = deps.lineOf(part.conversation.channel, part.conversation.account);
    if (!line) {
      queue.parked = `${part.conversation.channel}:${part.conversation.account}`;
      return;
    }
    const wait = row.nextAt - clock.now();
    if (wait > 0) return pause(queue, wait);
    if (row.state === "ambiguous") return settle(queue, row, part, line);
    if (row.state === "pending") {
      await store.write((tx) => markSending(tx, row.id), "durable");
      if (queue.rows[0] !== row) return; // cancelled meanwhile
    }
    const attempts = row.attempts + 1;
    let receipt: Receipt;
    queue.inFlight = true;
    unrecorded.add(row.id);
    try {
      receipt = await line.transport.send(part, cut.signal);
    } catch (error) {
      if (cut.signal.aborted) return;
      return await failed(
        queue,
        { ...row, attempts },
        part,
        toGatewayError(error, "DELIVERY_OUTCOME_UNKNOWN", { channel: part.conversation.channel }),
      );
    } finally {
      queue.inFlight = false;
    }
    await sent(queue, row, part, receipt);
  };

  /** Transaction D. The next part becomes `sending` in the same transaction, so that one commit does for both. */
  const sent = async (queue: Queue, row: OutboxRow, part: OutboundPart, receipt: Receipt): Promise<void> => {
    const at = clock.now();
    const next = queue.rows[1];
    const unit = persist(
      async (tx) => {
        await recordReceipt(tx, { id: row.id, receiptJson: JSON.stringify(receipt), sentAt: at });
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
      },
      // `sending` has to be on disk before the next part goes out; a last receipt can be found out again.
      next ? "durable" : "lazy",
    );
    deps.onSent(part, at);
    deps.hooks.emit("delivery:sent", { part: row.id, messageId: receipt.messageId });
    logger.info(
      {
        trace: traceOf(row),
        turn: row.turn ?? undefined,
        part: row.id,
        channel: part.conversation.channel,
        account: part.conversation.account,
      },
      "part sent",
    );
    queue.rows.shift();
    if (next) {
      queue.recorded = unit.catch(() => {});
      await unit;
      unrecorded.delete(row.id);
      if (queue.rows[0] === next && next.state === "pending") queue.rows[0] = { ...next, state: "sending" };
      return;
    }
    queue.recorded = unit.then(
      () => unrecorded.delete(row.id),
      (error: unknown) => {
        // Sent but not recorded: the row still says `sending`, so it is reconciled, not lost.
        logger.error({ part: row.id, error: describeError(error) }, "a receipt could not be stored; the part will be reconciled");
        const behind = queueOf(row.conv);
        reload(behind);
        if (behind.parked === undefined) run(behind);
      },
    );
  };

  /** Writes what only this process knows, the platform's receipt, as often as the store cannot take it. */
  const persist = async (unit: (tx: StoreTx) => Promise<void>, durability: Durability): Promise<void> => {
    for (;;) {
      try {
        return await store.write(unit, durability);
      } catch (error) {
        if (!isGatewayError(error) || !error.retryable || closing.signal.aborted) throw error;
        logger.warn({ error: describeError(error) }, "a receipt cannot be stored now; it is tried again");
        await clock.sleep(RECEIPT_PAUSE_MS, closing.signal).catch(() => {});
      }
    }
  };

  const failed = async (queue: Queue, row: OutboxRow, part: OutboundPart, error: GatewayError): Promise<void> => {
    let verdict = judgeSendError(error, part);
    if (verdict.action === "retry" && clock.now() - row.createdAt > GIVE_UP_MS) verdict = { action: "bury" };
    logger.warn(
      {
        trace: traceOf(row),
        part: row.id,
        code: error.code,
        attempt: row.attempts,
        action: verdict.action,
        detail: error.detail,
        error: error.message,
      },
      "a send failed",
    );
    const errorJson = JSON.stringify({ code: error.code, message: error.message });
    if (verdict.action === "bury") return bury(queue, row, error.code, errorJson);
    if (verdict.action === "reconcile") {
      counts.ambiguous += 1;
      if (row.attempts >= UNKNOWN_ATTEMPTS) return bury(queue, row, error.code, errorJson);
      // The first look is at once: most lost answers are found. A platform that keeps failing is not hammered.
      const wait = row.attempts === 1 ? 0 : backoffMs(row.attempts, deps.random());
      return change(queue, { ...row, state: "ambiguous", nextAt: clock.now() + wait, errorJson });
    }
    if (verdict.action === "park") {
      const key = `${part.conversation.channel}:${part.conversation.account}`;
      queue.parked = key;
      clock.timer(REJECTED_WAIT_MS, () => wake(key));
      deps.onRejected(part.conversation.channel, part.conversation.account, error);
      return change(queue, { ...row, state: "pending", attempts: row.attempts - 1, errorJson });
    }
    if (verdict.action === "reformat") {
      const bodyJson = JSON.stringify(verdict.part);
      await store.write((tx) => replaceBody(tx, { id: row.id, bodyJson }), "committed");
      return change(queue, { ...row, bodyJson, state: "pending", nextAt: 0, errorJson });
    }
    const wait = Math.min(error.retryAfterMs ?? backoffMs(row.attempts, deps.random()), LONGEST_WAIT_MS);
    await change(queue, { ...row, state: "pending", nextAt: clock.now() + wait, errorJson });
  };

  /** Finds out what became of a part whose outcome is unknown, before anything else of its conversation. */
  const settle = async (queue: Queue, row: OutboxRow, part: OutboundPart, line: Line): Promise<void> => {
    const result = await reconcilePart({ row, part, line, store, signal: cut.signal }).catch((error: unknown) => {
      if (!closing.signal.aborted) logger.warn({ part: row.id, error: describeError(error) }, "reconciling failed; it is tried again");
      return undefined;
    });
    if (closing.signal.aborted) return;
    if (result === undefined) {
      await change(queue, { ...row, attempts: row.attempts + 1, nextAt: clock.now() + backoffMs(row.attempts + 1, deps.random()) });
      return;
    }
    logger.info(
      { trace: traceOf(row), part: row.id, outcome: result.outcome, why: result.outcome === "undecided" ? result.why : undefined },
      "a part with unknown outcome was settled",
    );
    if (result.outcome === "sent") {
      counts.foundSent += 1;
      return sent(queue, row, part, result.receipt);
    }
    if (result.outcome === "absent") counts.foundAbsent += 1;
    else if (line.onAmbiguous === "hold") {
      counts.undecidedHeld += 1;
      return bury(queue, row, "DELIVERY_OUTCOME_UNKNOWN", JSON.stringify({ code: "DELIVERY_OUTCOME_UNKNOWN", message: result.why }));
    } else counts.undecidedResent += 1;
    await change(queue, { ...row, state: "pending", nextAt: 0 });
  };

  /** Records a changed head and keeps it. Lazy: what a crash forgets of it is found out again. */
  const change = async (queue: Queue, row: OutboxRow): Promise<void> => {
    queue.rows[0] = row;
    await store.write((tx) => recordAttempt(tx, row), "lazy");
    unrecorded.delete(row.id);
  };

  const bury = async (queue: Queue, row: OutboxRow, code: string, errorJson: string): Promise<void> => {
    await store.write((tx) => recordAttempt(tx, { ...row, state: "dead", errorJson }), "committed");
    unrecorded.delete(row.id);
    queue.rows.shift();
    deps.hooks.emit("delivery:dead", { part: row.id, code });
    logger.error({ trace: traceOf(row), part: row.id, code }, "a part could not be delivered and is put aside");
  };

  const wake = (key: string): void => {
    for (const queue of queues.values()) {
      if (queue.parked !== key) continue;
      // A queue that is just being parked looks here before it rests.
      queue.parked = undefined;
      run(queue);
    }
  };

  const pause = async (queue: Queue, ms: number): Promise<void> => {
    const waiting = new AbortController();
    queue.wake = () => waiting.abort();
    await clock.sleep(ms, AbortSignal.any([waiting.signal, closing.signal])).catch(() => {});
    queue.wake = () => {};
  };

  return {
    async start() {
      counts.ambiguous += await store.write((tx) => markInterrupted(tx), "committed");
      for (const conv of await store.read((tx) => openPartConversations(tx))) {
        const queue = queueOf(conv);
        queue.more = true;
        run(queue);
      }
    },
    enqueue(rows) {
      for (const row of rows) {
        const queue = queueOf(row.conv);
        if (queue.more || queue.loading || queue.rows.length >= QUEUE_LIMIT) queue.more = true;
        else if (!queue.rows.some(({ id }) => id === row.id)) queue.rows.push(row);
        if (queue.parked === undefined) run(queue);
      }
    },
    wakeAccount: (channel, account) => wake(`${channel}:${account}`),
    async cancelTurn(turn) {
      const cancelled = await store.write((tx) => cancelPartsOfTurn(tx, turn), "committed");
      if (cancelled === 0) return;
      for (const queue of queues.values()) {
        if (queue.loading || queue.rows.some((row) => row.turn === turn)) reload(queue);
      }
    },
    counts: () => ({ ...counts }),
    async close() {
      closing.abort();
      const cancel = clock.timer(CLOSE_MS, () => cut.abort());
      await Promise.all([...queues.values()].map((queue) => queue.running));
      cancel();
    },
  };
}

/** The inbox id that a part's turn began with, for the log. */
function traceOf(row: OutboxRow): string | undefined {
  return row.turn?.replace(/^tn_/, "in_");
}
