import { setMaxListeners } from "node:events";
import { describeError } from "@trunkline/plugin-sdk";
import { refreshDelivery } from "../store/delivery-state.ts";
import { cancelPartsOfTurn, markInterrupted, openPartConversations, openPartsOfConversation, type OutboxRow } from "../store/outbox.ts";
import { advance } from "./attempt.ts";
import type { AmbiguityCounts, DeliveryContext, WorkerDeps } from "./context.ts";
import { createDueTimes } from "./due.ts";
import { ConversationQueue, type QueuePorts } from "./conversation-queue.ts";

/** Sends what is in the outbox: one part at a time per conversation, conversations side by side. */
export interface DeliveryWorker {
  /** Takes up what an earlier process left: every `sending` part is ambiguous now. */
  start(): Promise<void>;
  /** New parts of a conversation, in order, as the store holds them. */
  enqueue(rows: readonly OutboxRow[]): void;
  /** The table knows better than memory about a conversation, such as after a retry by hand. */
  reload(conv: string): void;
  /** An account came up: its waiting parts go. */
  wakeAccount(channel: string, account: string): void;
  /** Cancels what of a turn is not being sent yet. */
  cancelTurn(turn: string): Promise<void>;
  counts(): AmbiguityCounts;
  /** Resolves when nothing is in flight; what waits stays in the store. */
  close(): Promise<void>;
}

/** Time that sends in flight have when the gateway closes, ms. */
const CLOSE_MS = 10_000;

/** Creates the delivery worker. */
export function createDeliveryWorker(deps: WorkerDeps): DeliveryWorker {
  const { store, clock, logger } = deps;
  const queues = new Map<string, ConversationQueue>();
  const closing = new AbortController();
  const cut = new AbortController();
  // One listener per conversation with something to send.
  setMaxListeners(0, closing.signal, cut.signal);

  const queueOf = (conv: string): ConversationQueue => {
    const existing = queues.get(conv);
    if (existing) return existing;
    const queue = new ConversationQueue(conv, ports);
    queues.set(conv, queue);
    return queue;
  };
  const wakeAccount = (channel: string, account: string): void => {
    for (const queue of queues.values()) queue.unpark(`${channel}:${account}`);
  };
  const reload = (conv: string): void => queueOf(conv).reload();
  const enqueue = (rows: readonly OutboxRow[]): void => {
    for (const row of rows) queueOf(row.conv).add(row);
  };
  const context: DeliveryContext = {
    ...deps,
    closing: closing.signal,
    cut: cut.signal,
    due: createDueTimes(clock),
    unrecorded: new Set(),
    counts: { ambiguous: 0, foundSent: 0, foundAbsent: 0, undecidedResent: 0, undecidedHeld: 0 },
    wakeAccount,
    reload,
    enqueue,
  };
  const ports: QueuePorts = {
    clock,
    closing: closing.signal,
    async read(conv, limit) {
      const rows = await store.read((tx) => openPartsOfConversation(tx, { conv, limit }));
      // The table still says `sending` of a part whose outcome could not be stored: it may have arrived.
      return rows.map((row) => (row.state === "sending" && context.unrecorded.has(row.id) ? { ...row, state: "ambiguous" } : row));
    },
    advance: (queue, head) => advance(context, queue, head),
    onStoreFailed: ({ conv }, error) => logger.error({ conv, error: describeError(error) }, "delivery paused: the store failed"),
    onEmpty: ({ conv }) => void queues.delete(conv),
  };

  return {
    async start() {
      context.counts.ambiguous += await store.write((tx) => markInterrupted(tx), "committed");
      for (const conv of await store.read((tx) => openPartConversations(tx))) reload(conv);
    },
    enqueue,
    reload,
    wakeAccount,
    async cancelTurn(turn) {
      const cancelled = await store.write(async (tx) => {
        const count = await cancelPartsOfTurn(tx, turn);
        if (count > 0) await refreshDelivery(tx, turn);
        return count;
      }, "committed");
      if (cancelled === 0) return;
      for (const queue of queues.values()) if (queue.mayHold(turn)) queue.reload();
    },
    counts: () => ({ ...context.counts }),
    async close() {
      closing.abort();
      const cancel = clock.timer(CLOSE_MS, () => cut.abort());
      await Promise.all([...queues.values()].map((queue) => queue.running));
      cancel();
    },
  };
}
