import type { Clock, StoreQuery, StoreRow } from "@trunkline/plugin-sdk";
import { GatewayError } from "@trunkline/plugin-sdk";
import type { Connection, WriteConnection } from "./connection.ts";
import { sqliteCode, toSqliteError } from "./failure.ts";
import { toParameter } from "./parameter.ts";
import { openSqlite, type SqliteDatabase } from "./sqlite-library.ts";

/** Wait of SQLite itself for a lock; the thread stands still meanwhile. */
const BUSY_MS = 50;
/** Then the writer lets others run for this long and tries again, so often. About 3 s in all. */
const BUSY_PAUSE_MS = 25;
const BUSY_TRIES = 40;
/** Prepared statements kept per connection; ours are about 60. */
const CACHED_STATEMENTS = 200;
/** A checkpoint waits until nothing was written for this long. */
const IDLE_MS = 1_000;
/** Pages in the write-ahead log (16 MB) from which a busy writer checkpoints by itself. */
const CHECKPOINT_PAGES = 4_000;

type SqliteStatement = ReturnType<SqliteDatabase["prepare"]>;

/** One connection to the file, on this thread. */
export class SqliteConnection implements Connection {
  readonly dialect = "sqlite";
  protected readonly database: SqliteDatabase;
  protected readonly path: string;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, path: string) {
    this.database = database;
    this.path = path;
  }

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    const parameters = query.parameters.map(toParameter);
    try {
      return this.#prepare(query.sql).all(...parameters) as StoreRow[];
    } catch (error) {
      throw toSqliteError(error, this.path);
    }
  }

  async close(): Promise<void> {
    this.#statements.clear();
    if (this.database.isOpen) this.database.close();
  }

  /** Prepared once per text. Our texts are few and fixed; the bound is for what a plugin may make of them. */
  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > CACHED_STATEMENTS) this.#statements.delete(this.#statements.keys().next().value!);
    return statement;
  }
}

/** The connection that writes. */
export class SqliteWriter extends SqliteConnection implements WriteConnection {
  control = 0;
  /** A file does not go away and come back. */
  readonly interrupted = false;
  readonly #clock: Clock;
  #full = false;
  #lastCommit = 0;
  #cancelCheckpoint: (() => void) | undefined;

  constructor(database: SqliteDatabase, path: string, clock: Clock) {
    super(database, path);
    this.#clock = clock;
  }

  get inTransaction(): boolean {
    return this.database.isTransaction;
  }

  async begin(durable: boolean): Promise<void> {
    // With WAL, FULL flushes the log at each commit and NORMAL at checkpoints only (sqlite.org/pragma.html#pragma_synchronous).
    // It cannot be changed inside a transaction.
    if (durable !== this.#full) {
      await this.#run(durable ? "pragma synchronous = full" : "pragma synchronous = normal");
      this.#full = durable;
    }
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#run("begin immediate");
      } catch (error) {
        if (!isBusy(error) || tries === BUSY_TRIES) throw explainBusy(error, this.path);
        await this.#clock.sleep(BUSY_PAUSE_MS);
      }
    }
  }

  savepoint(): Promise<void> {
    return this.#run("savepoint unit");
  }

  release(): Promise<void> {
    return this.#run("release unit");
  }

  async undo(): Promise<void> {
    await this.#run("rollback to unit");
    await this.#run("release unit");
  }

  async commit(): Promise<void> {
    await this.#run("commit");
    this.#lastCommit = this.#clock.monotonic();
    this.#checkpointLater(IDLE_MS);
  }

  async rollback(): Promise<void> {
    if (!this.inTransaction) return;
    await this.#run("rollback").catch(() => {});
  }

  trouble(): undefined {}

  giveUp(): void {}

  override async close(): Promise<void> {
    this.#cancelCheckpoint?.();
    // So that the file alone is the whole database. SQLite's own checkpoint at close comes late with the driver for Node 20 and 22,
    // whose connections live on until their statements are collected. A failure costs nothing: the log stays valid.
    if (this.database.isOpen) await this.#run("pragma wal_checkpoint(truncate)").catch(() => {});
    await super.close();
  }

  async #run(sql: string): Promise<void> {
    this.control += 1;
    await this.execute({ sql, parameters: [] });
  }

  /** Moves the log into the database when nobody waits; else the commit that fills the log would pay for it. */
  #checkpointLater(ms: number): void {
    this.#cancelCheckpoint ??= this.#clock.timer(ms, () => {
      this.#cancelCheckpoint = undefined;
      const idle = this.#clock.monotonic() - this.#lastCommit;
      if (this.inTransaction || idle < IDLE_MS) return this.#checkpointLater(Math.max(IDLE_MS - idle, 1));
      // A failure (disk full) shows at the next commit; the log stays valid.
      this.#run("pragma wal_checkpoint(passive)").catch(() => {});
    });
  }
}

/** Opens the file for writing in WAL mode. */
export async function openSqliteWriter(path: string, clock: Clock): Promise<SqliteWriter> {
  const database = await openFile(path, false);
  try {
    const [mode] = database.prepare("pragma journal_mode = wal").all() as {
      journal_mode: string;
    }[];
    if (mode?.journal_mode !== "wal") {
      const hint = "The file system does not allow SQLite's write-ahead log. Use a local disk.";
      throw new GatewayError("STORE_UNAVAILABLE", { detail: { path }, hint });
    }
    database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma temp_store = memory`);
  } catch (error) {
    database.close();
    throw toSqliteError(error, path);
  }
  return new SqliteWriter(database, path, clock);
}

/** Opens the file for reading beside the writer, or alone. */
export async function openSqliteReader(path: string): Promise<SqliteConnection> {
  return new SqliteConnection(await openFile(path, true), path);
}

async function openFile(path: string, readOnly: boolean): Promise<SqliteDatabase> {
  try {
    const database = await openSqlite(path, { readOnly, busyMs: BUSY_MS });
    // Reads the header, so that a file that is no database is refused before anything changes it.
    database.prepare("select count(*) from sqlite_master").all();
    return database;
  } catch (error) {
    throw toSqliteError(error, path);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof GatewayError && sqliteCode(error.cause) === 5;
}

function explainBusy(error: unknown, path: string): unknown {
  if (!isBusy(error)) return error;
  const hint = "Another program holds a lock on the database. Close it (a database browser, a backup); the gateway tries again.";
  return new GatewayError("STORE_UNAVAILABLE", {
    detail: { path },
    hint,
    cause: error,
    retryable: true,
  });
}
