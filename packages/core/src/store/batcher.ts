import { setImmediate } from "node:timers";
import { type Clock, type Durability, GatewayError, type StoreQuery, type StoreTx } from "@trunkline/plugin-sdk";
import type { WriteConnection } from "./connection.ts";
import type { StoreDialect } from "./statement.ts";

/** Units in one transaction: enough to share a flush, few enough that the event loop is not held for long. */
const BATCH_UNITS = 256;
/** Transactions that a batch may lose to broken connections. */
const BATCH_TRIES = 5;
/** Longest wait of a lazy unit, ms. */
const LAZY_MS = 20;
/** Units that may wait; beyond that the caller has to hold back. */
const QUEUE_UNITS = 100_000;

interface Unit {
  readonly run: (tx: StoreTx) => Promise<unknown>;
  readonly durability: Durability;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** The transaction as one unit sees it. Ends with the unit, so that a forgotten await cannot write into the next one. */
class UnitTx implements StoreTx {
  readonly dialect: StoreDialect;
  /** The first failed statement. The unit fails with it even if it caught it: PostgreSQL could not go on, so neither does SQLite. */
  failure: unknown;
  statements = 0;
  #connection: WriteConnection | undefined;

  constructor(connection: WriteConnection) {
    this.#connection = connection;
    this.dialect = connection.dialect;
  }

  async execute<Row>(query: StoreQuery): Promise<readonly Row[]> {
    if (this.#connection === undefined)
      throw new GatewayError("GATEWAY_BUG", {
        detail: { reason: "a statement after the end of its unit" },
      });
    if (this.failure !== undefined) throw this.failure;
    this.statements += 1;
    try {
      return (await this.#connection.execute(query)) as readonly Row[];
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  end(): void {
    this.#connection = undefined;
  }
}

/**
 * Group commit. Everything that is queued when a transaction starts goes into it, each unit in its own savepoint, and is resolved
 * after COMMIT: many messages share one flush to disk. Units run in the order in which they came.
 */
export class Batcher {
  readonly #connection: WriteConnection;
  readonly #clock: Clock;
  readonly #path: string;
  #queue: Unit[] = [];
  /** Queued units that are not lazy. */
  #urgent = 0;
  #inBatch = 0;
  #lazyDue = false;
  #cancelLazy: (() => void) | undefined;
  /** Not the same as `#done` being pending: a write that comes between the last look at the queue and that must start anew. */
  #active = false;
  #done: Promise<void> = Promise.resolve();
  #closed = false;
  #statements = 0;
  readonly #commits = { durable: 0, plain: 0 };

  constructor(connection: WriteConnection, clock: Clock, path: string) {
    this.#connection = connection;
    this.#clock = clock;
    this.#path = path;
  }

  /** Statements of units, commits, and units that wait or run. */
  stats(): { statements: number; commits: { durable: number; plain: number }; queued: number } {
    return {
      statements: this.#statements,
      commits: { ...this.#commits },
      queued: this.#queue.length + this.#inBatch,
    };
  }

  add<T>(run: (tx: StoreTx) => Promise<T>, durability: Durability): Promise<T> {
    if (this.#closed) return Promise.reject(closedError(this.#path));
    if (this.#queue.length >= QUEUE_UNITS) return Promise.reject(overloadError(this.#path));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, durability, resolve: resolve as (value: never) => void, reject });
      if (durability !== "lazy") this.#urgent += 1;
      if (this.#urgent > 0) this.#start();
      else this.#waitForCompany();
    });
  }

  /** Commits what is queued; rejects what comes later. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#queue.length > 0 || this.#active) {
      this.#lazyDue = true;
      this.#start();
      await this.#done;
    }
    this.#cancelLazy?.();
  }

  #waitForCompany(): void {
    if (this.#active || this.#cancelLazy !== undefined) return;
    this.#cancelLazy = this.#clock.timer(LAZY_MS, () => {
      this.#cancelLazy = undefined;
      this.#lazyDue = true;
      this.#start();
    });
  }

  #start(): void {
    if (this.#active) return;
    this.#active = true;
    this.#done = this.#runAll();
  }

  async #runAll(): Promise<void> {
    while (this.#queue.length > 0 && (this.#urgent > 0 || this.#lazyDue)) {
      // What arrives in this round of the event loop rides along, and between batches everybody else gets a turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#queue.splice(0, BATCH_UNITS);
      this.#urgent -= batch.filter((unit) => unit.durability !== "lazy").length;
      if (this.#queue.length === 0) this.#lazyDue = false;
      this.#cancelLazy?.();
      this.#cancelLazy = undefined;
      this.#inBatch = batch.length;
      await this.#runBatch(batch);
      this.#inBatch = 0;
    }
    this.#active = false;
    if (this.#queue.length > 0) this.#waitForCompany();
  }

  /** Runs a batch to its end; again when a lost connection took the transaction with it, so that a restart of the database fails nobody. */
  async #runBatch(batch: readonly Unit[]): Promise<void> {
    const open = new Set(batch);
    for (let tries = 1; open.size > 0; tries += 1) {
      try {
        return await this.#runTransaction(open);
      } catch (error) {
        await this.#connection.rollback();
        // A unit may be what ends the connection: it does not get to do that forever.
        if (this.#connection.interrupted && tries < BATCH_TRIES) continue;
        for (const unit of open) unit.reject(error);
        return;
      }
    }
  }

  /** One transaction for what is open; takes out what has its own failure. Throws when the transaction fails as a whole. */
  async #runTransaction(open: Set<Unit>): Promise<void> {
    const units = [...open];
    const durable = units.some((unit) => unit.durability === "durable");
    await this.#connection.begin(durable);
    const done: (readonly [Unit, unknown])[] = [];
    for (const unit of units) {
      const outcome = await this.#runUnit(unit, units.length === 1);
      if (outcome.ok) {
        done.push([unit, outcome.value]);
        continue;
      }
      const { inTransaction } = this.#connection;
      if (!inTransaction) await this.#connection.rollback();
      if (this.#connection.interrupted) throw lostError(outcome.error);
      open.delete(unit);
      unit.reject(outcome.error);
      // The database gave up the whole transaction: what ran in it is undone, and the rest must not run outside of one.
      if (!inTransaction) throw lostError(outcome.error);
    }
    if (done.length === 0) return await this.#connection.rollback();
    await this.#connection.commit();
    this.#commits[durable ? "durable" : "plain"] += 1;
    this.#inBatch = 0;
    for (const [unit, value] of done) unit.resolve(value as never);
  }

  async #runUnit(unit: Unit, alone: boolean): Promise<Outcome> {
    const tx = new UnitTx(this.#connection);
    // Alone in its transaction, the unit needs no savepoint: it is the transaction that is rolled back.
    if (!alone) await this.#connection.savepoint();
    try {
      const value = await unit.run(tx);
      if (tx.failure !== undefined) throw tx.failure;
      if (!alone) await this.#connection.release();
      return { ok: true, value };
    } catch (error) {
      if (!alone && this.#connection.inTransaction) await this.#connection.undo();
      return { ok: false, error };
    } finally {
      tx.end();
      this.#statements += tx.statements;
    }
  }
}

/** What the other units of a lost transaction are told: the store's reason, not an error of somebody else's unit. */
function lostError(error: unknown): GatewayError {
  const known = error instanceof GatewayError && error.code.startsWith("STORE_");
  return known ? error : new GatewayError("STORE_FAILED", { cause: error, retryable: true });
}

export function closedError(path: string): GatewayError {
  return new GatewayError("STORE_UNAVAILABLE", {
    detail: { path },
    hint: "The store is closed: the gateway is stopping.",
  });
}

function overloadError(path: string): GatewayError {
  return new GatewayError("STORE_FULL", {
    detail: { path },
    retryable: true,
    hint: `${QUEUE_UNITS} writes wait for the disk; it is too slow, or full. Nothing is acknowledged that is not stored.`,
  });
}
