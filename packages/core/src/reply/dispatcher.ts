import type { ReplyKind, ReplyPayload } from "@trunkline/plugin-sdk";

/** Writes one tool or block reply durably and starts its delivery. `place` is where the turn's journal keeps it; a tool reply has none. */
export type CommitReply = (kind: "tool" | "block", payload: ReplyPayload, place?: number) => Promise<void>;

/**
 * Keeps the replies of one turn in order. Tool and block replies become durable as they come (transaction B); finals wait for the
 * turn's last transaction, so that the answer, the transcript and the disposition are one.
 */
export class ReplyDispatcher {
  readonly #commit: CommitReply;
  readonly #counts = { tool: 0, block: 0, final: 0 };
  readonly #finals: ReplyPayload[] = [];
  #tail: Promise<void> = Promise.resolve();

  constructor(commit: CommitReply) {
    this.#commit = commit;
  }

  sendToolResult(payload: ReplyPayload): void {
    this.#enqueue("tool", payload);
  }

  sendBlockReply(payload: ReplyPayload, place?: number): void {
    this.#enqueue("block", payload, place);
  }

  sendFinalReply(payload: ReplyPayload): void {
    this.#counts.final += 1;
    this.#finals.push(payload);
  }

  /** Resolves when every tool and block reply is durable. Rejects when the store refused one; what came after it was not written. */
  waitForIdle(): Promise<void> {
    return this.#tail;
  }

  /** The finals, in order. */
  finals(): readonly ReplyPayload[] {
    return this.#finals;
  }

  /** Replies taken so far, by kind. */
  counts(): Readonly<Record<ReplyKind, number>> {
    return { ...this.#counts };
  }

  #enqueue(kind: "tool" | "block", payload: ReplyPayload, place?: number): void {
    this.#counts[kind] += 1;
    this.#tail = this.#tail.then(() => this.#commit(kind, payload, place));
    this.#tail.catch(() => {}); // told by waitForIdle
  }
}
