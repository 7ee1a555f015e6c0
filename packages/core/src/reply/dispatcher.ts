import type { ReplyKind, ReplyPayload } from "@trunkline/plugin-sdk";

/** A shaped reply, in its place. */
export interface QueuedReply {
  readonly kind: ReplyKind;
  readonly payload: ReplyPayload;
}

/**
 * Keeps the replies of one turn in order. Tool and block replies become durable as they come (transaction B); finals wait for the
 * turn's last transaction, so that the answer, the transcript and the disposition are one.
 */
export interface ReplyDispatcher {
  sendToolResult(payload: ReplyPayload): void;
  sendBlockReply(payload: ReplyPayload): void;
  sendFinalReply(payload: ReplyPayload): void;
  /** Resolves when every tool and block reply is durable. Rejects when the store refused one. */
  waitForIdle(): Promise<void>;
  /** The finals, in order. */
  finals(): readonly ReplyPayload[];
  /** Replies taken so far, by kind. */
  counts(): Readonly<Record<ReplyKind, number>>;
}

/** Creates the dispatcher of a turn. `commit` writes one tool or block reply durably and starts its delivery. */
export function createReplyDispatcher(commit: (reply: QueuedReply) => Promise<void>): ReplyDispatcher {
  const counts = { tool: 0, block: 0, final: 0 };
  const finals: ReplyPayload[] = [];
  let tail: Promise<void> = Promise.resolve();
  const enqueue = (kind: "tool" | "block", payload: ReplyPayload): void => {
    counts[kind] += 1;
    tail = tail.then(() => commit({ kind, payload }));
    tail.catch(() => {}); // told by waitForIdle
  };
  return {
    sendToolResult: (payload) => enqueue("tool", payload),
    sendBlockReply: (payload) => enqueue("block", payload),
    sendFinalReply(payload) {
      counts.final += 1;
      finals.push(payload);
    },
    waitForIdle: () => tail,
    finals: () => finals,
    counts: () => ({ ...counts }),
  };
}
