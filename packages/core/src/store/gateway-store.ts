import type { Clock, Durability, Store, StoreQuery, StoreStats, StoreTx } from "@trunkline/plugin-sdk";
import { GatewayError } from "@trunkline/plugin-sdk";
import { Batcher, closedError } from "./batcher.ts";
import type { Connection, WriteConnection } from "./connection.ts";
import type { StoreDialect } from "./statement.ts";

export interface StoreConnections {
  /** Absent in a store that is only read. */
  readonly writer?: WriteConnection;
  readonly reader: Connection;
  /** The file, or host and database: what an error names. */
  readonly path: string;
}

class ReadTx implements StoreTx {
  readonly dialect: StoreDialect;
  statements = 0;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.dialect = connection.dialect;
  }

  async execute<Row>(query: StoreQuery): Promise<readonly Row[]> {
    this.statements += 1;
    return (await this.#connection.execute(query)) as readonly Row[];
  }
}

/** The store over its connections: writes go through the batcher, reads beside it. */
export class GatewayStore implements Store {
  readonly dialect: StoreDialect;
  readonly #connections: StoreConnections;
  readonly #batcher: Batcher | undefined;
  readonly #readTx: ReadTx;
  #closing: Promise<void> | undefined;

  constructor(connections: StoreConnections, clock: Clock) {
    this.dialect = connections.reader.dialect;
    this.#connections = connections;
    this.#batcher = connections.writer && new Batcher(connections.writer, clock, connections.path);
    this.#readTx = new ReadTx(connections.reader);
  }

  write<T>(unit: (tx: StoreTx) => Promise<T>, durability: Durability): Promise<T> {
    if (this.#batcher !== undefined) return this.#batcher.add(unit, durability);
    const hint = "The store was opened for reading only; start the gateway to change something.";
    return Promise.reject(new GatewayError("STORE_UNAVAILABLE", { detail: { path: this.#connections.path }, hint }));
  }

  async read<T>(query: (tx: StoreTx) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedError(this.#connections.path);
    return await query(this.#readTx);
  }

  stats(): StoreStats {
    const written = this.#batcher?.stats() ?? {
      statements: 0,
      commits: { durable: 0, plain: 0 },
      queued: 0,
    };
    return {
      ...written,
      statements: written.statements + this.#readTx.statements,
      control: this.#connections.writer?.control ?? 0,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#batcher?.close();
    await this.#connections.reader.close();
    await this.#connections.writer?.close();
  }
}
