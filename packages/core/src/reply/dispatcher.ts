import type { ReplyKind, ReplyPayload } from "@trunkline/plugin-sdk";

/** Writes one tool or block reply durably and starts its delivery. `place` is where the turn's journal keeps it, if it does. */
export type CommitReply = (kind: "tool" | "block", payload: ReplyPayload, place?: number) => Promise<void>;

/**
 * Keeps the replies of one turn in order. Tool and block replies become durable as they come (transaction B); finals wait for the
 * turn's last transaction, so that the answer, the transcript and the disposition are one.
 */
export class ReplyDispatcher {
  readonly #commit: CommitReply;
  readonly #counts = { tool: 0, block: 0, final: 0 };
  #finals: ReplyPayload[] = [];
  #tail: Promise<void> = Promise.resolve();

  constructor(commit: CommitReply) {
    this.#commit = commit;
  }

  sendToolResult(payload: ReplyPayload, place?: number): void {
    this.#enqueue("tool", payload, place);
  }

  sendBlockReply(payload: ReplyPayload, place?: number): void {
    this.#enqueue("block", payload, place);
  }

  sendFinalReply(payload: ReplyPayload): void {
    this.#counts.final += 1;
    this.#finals.push(payload);
  }

  /** Runs what has to come in order with the replies, as a tool's own message does. When it fails, that is its caller's to know, and stops nothing. */
  inOrder<T>(unit: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const result = before.then(unit);
    const over = result.then(
      () => {},
      () => {},
    );
    this.#tail = before.then(() => over);
    this.#tail.catch(() => {}); // told by waitForIdle
    return result;
  }

  /** Somebody stopped the answer: what they see of it stays, and is all that is sent. Nothing when they saw nothing. */
  stopAt(visible: string): void {
    this.#finals = visible === "" ? [] : [{ text: visible }];
    this.#counts.final = this.#finals.length;
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
