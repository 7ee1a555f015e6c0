import { GatewayError, type StoreQuery, type StoreRow } from "@trunkline/plugin-sdk";
import pg from "pg";
import { toParameter } from "./parameter.ts";
import { isConnectionLost, toPostgresError } from "./postgres-failure.ts";
import type { PostgresAddress } from "./postgres-address.ts";

export interface PostgresOptions {
  readonly address: PostgresAddress;
  /** Where our tables are. Plain letters, digits and _: it stands in statements. */
  readonly schema: string;
}

const CONNECT_MS = 10_000;
/** A statement that takes longer has lost its connection: ours take milliseconds. */
const QUERY_MS = 60_000;
/** A connection whose other end is silent is given up after about 30 s, on both sides; seconds. */
const KEEPALIVE = { tcp_keepalives_idle: 15, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };
/** PostgreSQL 14, as the server counts: older ones get no security updates any more. */
export const OLDEST_SERVER = 140_000;
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

/** How a connection is made; for the pool of readers too. */
export function clientConfig({ address }: PostgresOptions): pg.ClientConfig {
  return {
    ...address.login,
    application_name: "trunkline",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    types,
  };
}

// Not sent with the first packet: poolers refuse parameters there that they do not know.
function setUp(schema: string): string {
  const keepalive = Object.entries(KEEPALIVE).map(([name, value]) => `set ${name} = ${value}`);
  return [
    `set search_path = ${schema}`,
    ...keepalive,
    // What we call durable is flushed also where the server's default is not to; stricter levels stay.
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
    "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding, pg_backend_pid() as pid, (select backend_start::text from pg_stat_activity where pid = pg_backend_pid()) as started",
  ].join("; ");
}

/** A process of the server that serves one connection. Numbers are used again, so its start is part of its name. */
export interface ServerProcess {
  readonly pid: number;
  readonly started: string | null;
}

/** Prepares a new connection; gives its server process. Rejects with STORE_UNSUITABLE for a server that is too old. */
export async function prepareClient(client: pg.ClientBase, { schema, address }: PostgresOptions): Promise<ServerProcess> {
  const results = (await client.query(setUp(schema))) as unknown as pg.QueryResult[];
  const { version, encoding, pid, started } = results.at(-1)!.rows[0] as ServerProcess & { version: string; encoding: string };
  requireServer(Number(version), encoding, address.name);
  return { pid, started };
}

/** Rejects a server that cannot hold the store. */
export function requireServer(version: number, encoding: string, name: string): void {
  if (version < OLDEST_SERVER) {
    const reason = `its PostgreSQL is version ${Math.floor(version / 10_000)}`;
    const hint = `Update PostgreSQL to ${OLDEST_SERVER / 10_000} or newer.`;
    throw new GatewayError("STORE_UNSUITABLE", { detail: { path: name, reason }, hint });
  }
  if (encoding !== "UTF8") {
    const reason = `its encoding is ${encoding}, which cannot hold every message`;
    const hint = "Make another database: create database <name> encoding 'UTF8' template template0; and name it in store.url.";
    throw new GatewayError("STORE_UNSUITABLE", { detail: { path: name, reason }, hint });
  }
}

/** Runs one statement of ours. */
export async function runQuery(client: { query: pg.ClientBase["query"] }, query: StoreQuery): Promise<readonly StoreRow[]> {
  const values = query.parameters.map(toParameter);
  const name = nameOf(query.sql);
  return (await client.query({ text: query.sql, values, ...(name === undefined ? {} : { name }) })).rows as StoreRow[];
}

/** One connection, from its opening to its loss. It is not reopened: what depends on it would not know. */
export class PostgresSession {
  readonly process: ServerProcess;
  readonly #client: pg.Client;
  readonly #address: PostgresAddress;
  readonly #onLost: () => void;
  #lost = false;

  private constructor(client: pg.Client, process: ServerProcess, address: PostgresAddress, onLost: () => void) {
    this.process = process;
    this.#client = client;
    this.#address = address;
    this.#onLost = onLost;
    client.on("error", () => this.drop());
    client.on("end", () => this.drop());
  }

  /** Connects and prepares. `onLost` is called once, also when it is lost while nothing is going on; not after `end`. */
  static async open(options: PostgresOptions, onLost: () => void): Promise<PostgresSession> {
    const client = new pg.Client(clientConfig(options));
    // Without a listener an error between two steps would end the process.
    client.on("error", () => {});
    try {
      await client.connect();
      const process = await prepareClient(client, options);
      return new PostgresSession(client, process, options.address, onLost);
    } catch (error) {
      client.end().catch(() => {});
      throw toPostgresError(error, options.address);
    }
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Statements without parameters, `;` between them, in one round trip; the rows of each. */
  async simple(text: string): Promise<readonly (readonly StoreRow[])[]> {
    return this.#guard(async () => {
      const results = (await this.#client.query(text)) as unknown as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(results) ? results : [results]).map(({ rows }) => rows as StoreRow[]);
    });
  }

  execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    return this.#guard(() => runQuery(this.#client, query));
  }

  /** Ends the connection; `onLost` stays silent. */
  async end(): Promise<void> {
    this.#lost = true;
    await this.#client.end().catch(() => {});
  }

  /** Gives the connection up: nobody knows any more in which state it is. */
  drop(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#client.end().catch(() => {});
    this.#onLost();
  }

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const failure = toPostgresError(error, this.#address);
      if (isConnectionLost(failure)) this.drop();
      throw failure;
    }
  }
}
