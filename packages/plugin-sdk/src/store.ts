/**
 * How soon and how safely a write must be on disk.
 * - `durable`: committed at once and flushed to disk; survives a power cut. What is acknowledged to others.
 * - `committed`: committed at once, not flushed; survives kill -9.
 * - `lazy`: committed within 20 ms, together with what else comes by; for what can be found out again.
 */
export type Durability = "durable" | "committed" | "lazy";

/** A statement with its values; what Kysely compiles has this shape. No library's type is part of the contract. */
export interface StoreQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A row as the database gives it: text, integer (ms and counts as number), blob or null. */
export type StoreRow = Readonly<Record<string, string | number | Uint8Array | null>>;

/** The open transaction of one unit. */
export interface StoreTx {
  /** The database that the transaction is on: a statement is written once per dialect. */
  readonly dialect: Store["dialect"];
  /** Runs one statement; gives the rows of a select or of `returning`, else none. */
  execute<Row = StoreRow>(query: StoreQuery): Promise<readonly Row[]>;
}

/** Counters since open; benches and tests read them. */
export interface StoreStats {
  /** Statements of units, without transaction control. */
  readonly statements: number;
  /** BEGIN, COMMIT, SAVEPOINT and their like. */
  readonly control: number;
  readonly commits: { readonly durable: number; readonly plain: number };
  /** Units that wait or run. */
  readonly queued: number;
}

/**
 * The durable memory of a gateway. All writes of a process go through `write`, which runs many units in one transaction,
 * each in its own savepoint: a unit that throws is undone alone and rejects its own promise.
 */
export interface Store {
  readonly dialect: "sqlite" | "postgres";
  /** Resolves with the unit's value after COMMIT. A unit may be run again after a lost race, so it must have no other effect. */
  write<T>(unit: (tx: StoreTx) => Promise<T>, durability: Durability): Promise<T>;
  /** Reads what is committed. */
  read<T>(query: (tx: StoreTx) => Promise<T>): Promise<T>;
  stats(): StoreStats;
  /** Commits what is queued and closes. Later calls reject with STORE_UNAVAILABLE. */
  close(): Promise<void>;
}
