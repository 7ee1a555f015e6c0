import { type Clock, GatewayError, type StoreQuery, type StoreRow } from "@trunkline/plugin-sdk";
import type { WriteConnection } from "./connection.ts";
import { markText } from "./postgres-claim.ts";
import { PostgresHold, type PostgresHoldOptions } from "./postgres-hold.ts";
import { isConnectionLost } from "./postgres-failure.ts";
import { PostgresJournal } from "./postgres-journal.ts";
import type { PostgresSession } from "./postgres-session.ts";

/** How long a transaction may wait for a database that is away before its units are rejected, ms. */
const PATIENCE_MS = 60_000;

/** The session of an open transaction. */
interface Transaction {
  readonly session: PostgresSession;
  readonly durable: boolean;
}

/**
 * The connection that writes.
 *
 * It survives the loss of its connection and a restart of the server: BEGIN waits for the new session, and a COMMIT without an answer
 * waits until the database says whether it took place. For that each transaction writes its number into the row `writer` of `meta`. A
 * server that crashed may have forgotten commits that it did not flush; what they did is done again before anything else is.
 */
export class PostgresWriter implements WriteConnection {
  readonly dialect = "postgres";
  control = 0;
  interrupted = false;
  readonly #hold: PostgresHold;
  readonly #journal: PostgresJournal;
  readonly #clock: Clock;
  #open: Transaction | undefined;

  constructor(options: Omit<PostgresHoldOptions, "journal">) {
    this.#journal = new PostgresJournal();
    this.#hold = new PostgresHold({ ...options, journal: this.#journal });
    this.#clock = options.clock;
  }

  /** Connects, and takes the schema for this gateway. Rejects with what a person has to change. */
  open(): Promise<void> {
    return this.#hold.open();
  }

  /** From here on commits are marked. Needs the tables. */
  startMarks(): Promise<void> {
    return this.#hold.startMarks();
  }

  get inTransaction(): boolean {
    return this.#open !== undefined && !this.#open.session.lost;
  }

  trouble(): GatewayError | undefined {
    return this.#hold.trouble();
  }

  giveUp(): void {
    this.#hold.giveUp();
  }

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    const session = this.#open?.session ?? (await this.#hold.session(PATIENCE_MS));
    const rows = await session.execute(query);
    if (this.#open !== undefined) this.#journal.ran(query);
    return rows;
  }

  async begin(durable: boolean): Promise<void> {
    this.interrupted = false;
    // Read committed, whatever the server's default: one writer has no races, and a serialization failure would be one more error.
    const text = `begin isolation level read committed; select pg_backend_pid() as pid${durable ? "" : "; set local synchronous_commit = off"}`;
    this.control += durable ? 1 : 2;
    const start = this.#clock.monotonic();
    for (;;) {
      const session = await this.#hold.session(PATIENCE_MS - (this.#clock.monotonic() - start));
      try {
        const [, [row] = []] = await session.simple(text);
        this.#requireSameProcess(session, row?.["pid"]);
        this.#open = { session, durable };
        return this.#journal.begin();
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      }
    }
  }

  async savepoint(): Promise<void> {
    await this.#control("savepoint unit");
    this.#journal.savepoint();
  }

  async release(): Promise<void> {
    await this.#control("release savepoint unit");
  }

  async undo(): Promise<void> {
    this.control += 1;
    await this.#control("rollback to savepoint unit; release savepoint unit");
    this.#journal.undo();
  }

  async commit(): Promise<void> {
    const { session, durable } = this.#requireOpen();
    const mark = this.#hold.nextMark();
    try {
      await this.#control(mark === undefined ? "commit" : `${markText(mark)}; commit`);
    } catch (error) {
      if (!session.lost) throw error;
      this.#open = undefined;
      this.interrupted = true;
      if (mark === undefined) throw error;
      // Nobody knows whether it took place, until the database is back and shows the number of its last commit.
      await this.#hold.session();
      if (!this.#hold.isStored(mark)) throw error;
    }
    this.#open = undefined;
    this.interrupted = false;
    this.#journal.committed(durable);
    if (mark !== undefined) this.#hold.acknowledge(mark);
  }

  async rollback(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if (open.session.lost) this.interrupted = true;
    else await this.#simple(open.session, "rollback").catch(() => open.session.drop());
  }

  async close(): Promise<void> {
    await this.#hold.close();
  }

  #control(text: string): Promise<unknown> {
    return this.#simple(this.#requireOpen().session, text);
  }

  #simple(session: PostgresSession, text: string): Promise<unknown> {
    this.control += 1;
    return session.simple(text);
  }

  #requireOpen(): Transaction {
    if (this.#open !== undefined) return this.#open;
    throw new GatewayError("GATEWAY_BUG", { detail: { reason: "a statement outside of a transaction" } });
  }

  /** A pooler that gives each transaction another server process would leave the lock with one of them. */
  #requireSameProcess(session: PostgresSession, pid: unknown): void {
    if (pid === session.process.pid) return;
    void session.end();
    throw this.#hold.poolerError();
  }
}
