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

/** A store as the gateway that opened it sees it. */
export interface OpenedStore extends Store {
  /** Why nothing can be stored for now; undefined while all is well. */
  trouble(): GatewayError | undefined;
  /** Stops waiting for a database that is away: what waits, and what comes, is rejected. For a gateway that has to end. */
  giveUp(): void;
}

/** Time that a database that is away has to come back when the store is closed, ms. */
const CLOSE_MS = 5_000;

/** The store over its connections: writes go through the batcher, reads beside it. */
export class GatewayStore implements OpenedStore {
  readonly dialect: StoreDialect;
  readonly #connections: StoreConnections;
  readonly #batcher: Batcher | undefined;
  readonly #readTx: ReadTx;
  readonly #clock: Clock;
  #closing: Promise<void> | undefined;

  constructor(connections: StoreConnections, clock: Clock) {
    this.dialect = connections.reader.dialect;
    this.#connections = connections;
    this.#clock = clock;
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

  trouble(): GatewayError | undefined {
    return this.#connections.writer?.trouble();
  }

  giveUp(): void {
    this.#connections.writer?.giveUp();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const cancel = this.#clock.timer(CLOSE_MS, () => this.giveUp());
    await this.#batcher?.close();
    cancel();
    await this.#connections.reader.close();
    await this.#connections.writer?.close();
  }
}
