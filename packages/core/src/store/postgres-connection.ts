import type { StoreQuery, StoreRow } from "@trunkline/plugin-sdk";
import pg from "pg";
import type { Connection, WriteConnection } from "./connection.ts";
import { toPostgresError } from "./failure.ts";
import { toParameter } from "./parameter.ts";

/** Connections for reads; the writer has its own. */
const READERS = 4;
const CONNECT_MS = 10_000;
const QUERY_MS = 60_000;
/** Texts that get a name, under which the server keeps their plan. Ours are about 60; the rest run unnamed. */
const NAMED_STATEMENTS = 500;

// PostgreSQL's type numbers (pg_type.dat): int8 from bigint columns and count(), numeric from sum(). Ours are all safe integers.
const AS_NUMBER: ReadonlySet<number> = new Set([20, 1700]);
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") =>
    AS_NUMBER.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

const names = new Map<string, string>();

/** The name of a prepared statement; the same text has the same on every connection. */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= NAMED_STATEMENTS) return known;
  const name = `trunkline_${names.size}`;
  names.set(sql, name);
  return name;
}

export interface PostgresOptions {
  readonly url: string;
  /** Where our tables are; created when missing. */
  readonly schema: string;
}

function config({ url, schema }: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: url,
    options: `-c search_path=${schema}`,
    application_name: "trunkline",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    types,
  };
}

/** Host and database of a URL: what may stand in a log. */
export function postgresName(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: "" };
  return `postgres://${host}${pathname}`;
}

async function run(client: { query: pg.Client["query"] }, query: StoreQuery): Promise<readonly StoreRow[]> {
  const values = query.parameters.map(toParameter);
  const name = nameOf(query.sql);
  return (await client.query({ text: query.sql, values, ...(name === undefined ? {} : { name }) })).rows as StoreRow[];
}

/** A few connections for reads. */
export class PostgresReader implements Connection {
  readonly dialect = "postgres";
  readonly #pool: pg.Pool;
  readonly #name: string;

  constructor(options: PostgresOptions) {
    this.#pool = new pg.Pool({ ...config(options), max: READERS, allowExitOnIdle: true });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on("error", () => {});
    this.#name = postgresName(options.url);
  }

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    try {
      return await run(this.#pool, query);
    } catch (error) {
      throw toPostgresError(error, this.#name);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** The connection that writes. One that broke is replaced at the next BEGIN. */
export class PostgresWriter implements WriteConnection {
  readonly dialect = "postgres";
  control = 0;
  readonly #options: PostgresOptions;
  readonly #name: string;
  #client: pg.Client | undefined;
  #open = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#name = postgresName(options.url);
  }

  get inTransaction(): boolean {
    return this.#open && this.#client !== undefined;
  }

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    try {
      return await run(await this.#connected(), query);
    } catch (error) {
      throw toPostgresError(error, this.#name);
    }
  }

  async begin(durable: boolean): Promise<void> {
    // One round trip. Without the flush a commit can be lost in a power cut, never torn (postgresql.org/docs/18/wal-async-commit.html).
    const text = durable ? "begin" : "begin; set local synchronous_commit = off";
    this.control += durable ? 1 : 2;
    const reused = this.#client !== undefined;
    try {
      await this.#simple(text);
    } catch (error) {
      // The connection broke while nothing was going on.
      if (!reused || this.#client !== undefined) throw error;
      await this.#simple(text);
    }
    this.#open = true;
  }

  savepoint(): Promise<void> {
    return this.#control("savepoint unit");
  }

  release(): Promise<void> {
    return this.#control("release savepoint unit");
  }

  async undo(): Promise<void> {
    this.control += 1;
    await this.#control("rollback to savepoint unit; release savepoint unit");
  }

  async commit(): Promise<void> {
    this.#requireTransaction();
    await this.#control("commit");
    this.#open = false;
  }

  async rollback(): Promise<void> {
    const needed = this.inTransaction;
    this.#open = false;
    if (needed) await this.#control("rollback").catch(() => this.#drop());
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  #control(text: string): Promise<void> {
    this.control += 1;
    return this.#simple(text);
  }

  async #simple(text: string): Promise<void> {
    try {
      await (await this.#connected()).query(text);
    } catch (error) {
      throw toPostgresError(error, this.#name);
    }
  }

  /** The statements of a transaction whose connection is gone must not run on another one. */
  #requireTransaction(): void {
    if (this.#open && this.#client === undefined) {
      throw toPostgresError(Object.assign(new TypeError("Connection terminated"), { code: "ECONNRESET" }), this.#name);
    }
  }

  async #connected(): Promise<pg.Client> {
    this.#requireTransaction();
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client(config(this.#options));
    const gone = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on("error", gone);
    client.on("end", gone);
    await client.connect();
    this.#client = client;
    return client;
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => {});
  }
}
