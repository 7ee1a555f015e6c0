import type { GatewayError, StoreQuery, StoreRow } from "@trunkline/plugin-sdk";
import type { StoreDialect } from "./statement.ts";

/** Runs statements outside of transactions. Errors are GatewayErrors of the STORE_ family. */
export interface Connection {
  readonly dialect: StoreDialect;
  execute(query: StoreQuery): Promise<readonly StoreRow[]>;
  close(): Promise<void>;
}

/** The one connection that writes. Its owner runs one transaction at a time. */
export interface WriteConnection extends Connection {
  /** False also after the database has given up a transaction by itself (disk full, connection lost). */
  readonly inTransaction: boolean;
  /** Transaction control statements so far. */
  readonly control: number;
  /** `durable` decides whether this transaction's COMMIT waits for the disk. */
  begin(durable: boolean): Promise<void>;
  /** Starts a unit inside the transaction; `release` keeps it, `undo` takes back what was done since. */
  savepoint(): Promise<void>;
  release(): Promise<void>;
  undo(): Promise<void>;
  commit(): Promise<void>;
  /** Never rejects: there is nothing left to do about it. */
  rollback(): Promise<void>;
  /**
   * Whether the last transaction failed because the connection was lost, and is surely not stored: the same units may run again, in a
   * transaction that begins when the database is back.
   */
  readonly interrupted: boolean;
  /** Why nothing can be written for now; undefined while all is well. */
  trouble(): GatewayError | undefined;
  /** Stops waiting for a database that is away: what waits, and what comes, is rejected. For a gateway that has to end. */
  giveUp(): void;
}
