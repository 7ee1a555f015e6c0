import type { Clock } from "../../clock.ts";
import { BoundedLog } from "./bounded-log.ts";
import type { Random } from "./random.ts";
import { Refusal } from "./refusal.ts";
import type { Signal } from "./signal.ts";
import type { WireUpdate } from "./wire.ts";

/** Pending updates that are kept at most. The real server keeps them for 24 hours. */
export const PENDING_LIMIT = 200_000;
const REMEMBERED = 1000;
// Not sent unless asked for by name. Source: core.telegram.org/bots/api#getupdates, `allowed_updates`.
const OPT_IN = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

/** A getUpdates call, its numbers already clamped. `timeoutMs` 0 answers at once. */
export interface PollRequest {
  /** Confirms everything below it; negative keeps only the last `-offset` updates; 0 confirms nothing. */
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
}

interface WaitingPoll {
  readonly wake: () => void;
  readonly refuse: (reason: Refusal) => void;
}

/**
 * The queue between the platform and the bot. What was not confirmed by a higher offset is handed out again.
 * Source: core.telegram.org/bots/api#getupdates; conflicts: telegram-bot-api Client.cpp, `abort_long_poll`.
 */
export class Updates {
  readonly #clock: Clock;
  readonly #signal: Signal;
  readonly #pending: WireUpdate[] = [];
  readonly #again: WireUpdate[] = [];
  readonly #remembered = new BoundedLog<WireUpdate>(REMEMBERED);
  #allowed: ReadonlySet<string> | undefined;
  #webhook = "";
  #nextId: number;
  #waiting: WaitingPoll | undefined;

  /** `firstId`: the first update_id; the platform starts anywhere. */
  constructor(clock: Clock, signal: Signal, firstId: number) {
    this.#clock = clock;
    this.#signal = signal;
    this.#nextId = firstId;
  }

  /** The address that setWebhook set; empty when polling. */
  get webhook(): string {
    return this.#webhook;
  }

  /** Whether a long poll waits for updates right now. */
  get polling(): boolean {
    return this.#waiting !== undefined;
  }

  /** How many updates wait for their confirmation. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Queues an update of a type, unless the bot did not ask for the type; then returns undefined. */
  push(type: string, payload: unknown): WireUpdate | undefined {
    const wanted = this.#allowed === undefined ? !OPT_IN.has(type) : this.#allowed.has(type);
    return wanted ? this.pushRaw({ [type]: payload }) : undefined;
  }

  /** Queues an update of any shape and gives it the next id. */
  pushRaw(fields: Readonly<Record<string, unknown>>): WireUpdate {
    const update: WireUpdate = { ...fields, update_id: this.#nextId++ };
    this.#pending.push(update);
    if (this.#pending.length > PENDING_LIMIT) this.#pending.shift();
    this.#remembered.push(update);
    this.#wake();
    return update;
  }

  /** Hands an update out once more, confirmed or not; false when it is too old to be known. */
  repeat(updateId: number): boolean {
    const update = this.#remembered.findLast((candidate) => candidate.update_id === updateId);
    if (update === undefined) return false;
    this.#again.push(update);
    this.#wake();
    return true;
  }

  /** Sets which types the bot wants from now on; undefined keeps the earlier wish, an empty list means the default. */
  allow(types: readonly string[] | undefined): void {
    if (types === undefined) return;
    this.#allowed = types.length === 0 ? undefined : new Set(types.map((type) => type.toLowerCase()));
  }

  /** Sets or removes the webhook address; a waiting poll ends with a conflict. Returns whether anything changed. */
  setWebhook(url: string, dropPending: boolean): boolean {
    if (dropPending) this.#pending.length = 0;
    if (url === this.#webhook) return false;
    this.#webhook = url;
    this.#waiting?.refuse(new Refusal(409, "Conflict: terminated by setWebhook request"));
    return true;
  }

  /**
   * Answers a getUpdates call, at once or when something arrives.
   * @throws Refusal 409 when a webhook is set, or when a later call takes over.
   */
  async poll(request: PollRequest, signal: AbortSignal): Promise<WireUpdate[]> {
    if (this.#webhook !== "") {
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    this.#waiting?.refuse(
      new Refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"),
    );
    this.#confirm(request.offset);
    if (this.#pending.length + this.#again.length === 0 && request.timeoutMs > 0) await this.#wait(request.timeoutMs, signal);
    // A caller that hung up gets nothing, so that a repeated update is not lost on it.
    return signal.aborted ? [] : this.#take(request.limit);
  }

  /** Adds to a batch one of its own updates or one that was confirmed already, as at-least-once delivery may. */
  withDuplicate(batch: readonly WireUpdate[], random: Random): WireUpdate[] {
    const seen = this.#remembered.toArray().filter((update) => update.update_id <= (batch.at(-1)?.update_id ?? 0));
    const chosen = seen[Math.floor(random() * seen.length)];
    if (chosen === undefined) return [...batch];
    const at = batch.findIndex((update) => update.update_id >= chosen.update_id);
    return at === -1 ? [...batch] : batch.toSpliced(at, 0, chosen);
  }

  #confirm(offset: number): void {
    if (offset < 0) {
      this.#pending.splice(0, Math.max(0, this.#pending.length + offset));
      return;
    }
    const kept = this.#pending.findIndex((update) => update.update_id >= offset);
    this.#pending.splice(0, kept === -1 ? this.#pending.length : kept);
    this.#signal.notify();
  }

  #take(limit: number): WireUpdate[] {
    const again = this.#again.splice(0, limit);
    return [...again, ...this.#pending.slice(0, limit - again.length)];
  }

  #wake(): void {
    const waiting = this.#waiting;
    // What one tick queues arrives in one batch, as with the real server, which gathers for some ms.
    if (waiting !== undefined) setImmediate(waiting.wake);
  }

  #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        if (this.#waiting === waiting) this.#waiting = undefined;
        signal.removeEventListener("abort", waiting.wake);
        cancel();
        act();
      };
      const waiting: WaitingPoll = { wake: () => settle(resolve), refuse: (reason) => settle(() => reject(reason)) };
      const cancel = this.#clock.timer(timeoutMs, waiting.wake);
      signal.addEventListener("abort", waiting.wake, { once: true });
      this.#waiting = waiting;
      this.#signal.notify();
    });
  }
}
