import type { Clock } from "@trunkline/plugin-sdk";
import type { OutboxRow } from "../store/outbox.ts";

/** Parts of one conversation in memory; more stay in the table until these are gone. */
const QUEUE_LIMIT = 50;

/** Pause before the table is read again after the store refused something, ms. */
const STORE_PAUSE_MS = 1000;

/** What a queue works with. */
export interface QueuePorts {
  readonly clock: Clock;
  /** Aborts when nothing more is to begin. */
  readonly closing: AbortSignal;
  /** The open parts of a conversation as the table has them, in sending order. */
  readonly read: (conv: string, limit: number) => Promise<OutboxRow[]>;
  /** One step for the head. It settles the head, changes it, parks the queue or waits; then it is called again. */
  readonly advance: (queue: ConversationQueue, head: OutboxRow) => Promise<void>;
  /** The store refused; the queue is read again after a pause. */
  readonly onStoreFailed: (queue: ConversationQueue, error: unknown) => void;
  /** Nothing is left: the queue may be forgotten. */
  readonly onEmpty: (queue: ConversationQueue) => void;
}

/**
 * The parts of one conversation, in order, one at a time. The table is the queue; memory holds its beginning, and is thrown away and
 * read again whenever the table knows better.
 */
export class ConversationQueue {
  readonly conv: string;
  readonly #ports: QueuePorts;
  #rows: OutboxRow[] = [];
  /** The table holds parts behind `#rows`. */
  #more = false;
  /** The table is being read: what is added now may be in the answer or not. */
  #loading = false;
  /** Raised when what was read from the table no longer holds. */
  #reading = 0;
  #running: Promise<void> | undefined;
  /** Ends the present wait, if any. */
  #wake: () => void = () => {};
  #parked: string | undefined;
  /** The head is with the platform right now. */
  inFlight = false;
  /** Settles when the last receipt is in the table: until then the table still says `sending` of a part that was sent. */
  recorded: Promise<unknown> = Promise.resolve();

  constructor(conv: string, ports: QueuePorts) {
    this.conv = conv;
    this.#ports = ports;
  }

  get head(): OutboxRow | undefined {
    return this.#rows[0];
  }

  /** What is behind the head, as far as memory knows. */
  get behind(): OutboxRow | undefined {
    return this.#rows[1];
  }

  /** Resolves when nothing is being done. */
  get running(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Whether memory holds a part of the turn, or may be about to. */
  mayHold(turn: string): boolean {
    return this.#loading || this.#rows.some((row) => row.turn === turn);
  }

  /** Whether a part that replaces the message of `id` waits behind it. */
  isReplaced(id: string): boolean {
    return this.#rows.some((row) => row.op === "edit" && row.bodyJson.includes(`"replaces":"${id}"`));
  }

  /** A new part, as the store holds it. */
  add(row: OutboxRow): void {
    if (this.#more || this.#loading || this.#rows.length >= QUEUE_LIMIT) this.#more = true;
    else if (!this.#rows.some(({ id }) => id === row.id)) this.#rows.push(row);
    this.run();
  }

  /** The head as it is now. */
  replaceHead(row: OutboxRow): void {
    this.#rows[0] = row;
  }

  /** The head is settled. */
  shift(): void {
    this.#rows.shift();
  }

  /** Forgets what is in memory but for a part that is with the platform: the table knows better. */
  reload(): void {
    this.#rows = this.#rows.slice(0, this.inFlight ? 1 : 0);
    this.#more = true;
    this.#reading += 1;
    this.#wake();
    this.run();
  }

  /** Stops until `unpark` names the same reason. */
  park(reason: string): void {
    this.#parked = reason;
  }

  unpark(reason: string): void {
    if (this.#parked !== reason) return;
    // A queue that is just being parked looks here before it rests.
    this.#parked = undefined;
    this.run();
  }

  run(): void {
    const { closing, onStoreFailed, onEmpty } = this.#ports;
    if (closing.aborted || this.#running || this.#parked !== undefined) return;
    this.#running = this.#drain()
      .catch(async (error: unknown) => {
        // What is in memory may be behind the store.
        onStoreFailed(this, error);
        this.#rows = [];
        this.#more = true;
        await this.pause(STORE_PAUSE_MS);
      })
      .then(() => {
        this.#running = undefined;
        if (this.#parked !== undefined) return;
        if (this.#rows.length > 0 || this.#more) this.run();
        else onEmpty(this);
      });
  }

  /** Waits; ends early when the queue is read again or the gateway closes. */
  async pause(ms: number): Promise<void> {
    await this.interruptible((signal) => this.#ports.clock.sleep(ms, signal));
  }

  /** Waits for something that a reload or the end of the gateway cuts short; whatever it rejects with is only that. */
  async interruptible(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await wait(AbortSignal.any([waiting.signal, this.#ports.closing])).catch(() => {});
    this.#wake = () => {};
  }

  async #drain(): Promise<void> {
    while (!this.#ports.closing.aborted && this.#parked === undefined) {
      if (this.#rows.length === 0 && !(await this.#load())) return;
      const { head } = this;
      if (head) await this.#ports.advance(this, head);
    }
  }

  /** Fills memory from the table; false when there is nothing. */
  async #load(): Promise<boolean> {
    if (!this.#more) return false;
    await this.recorded;
    this.#more = false;
    const reading = this.#reading;
    this.#loading = true;
    try {
      const rows = await this.#ports.read(this.conv, QUEUE_LIMIT);
      if (reading !== this.#reading) return true; // changed under the reading: again
      this.#rows = rows;
      this.#more ||= rows.length === QUEUE_LIMIT;
      return rows.length > 0;
    } finally {
      this.#loading = false;
    }
  }
}
