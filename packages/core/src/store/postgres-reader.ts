import { setMaxListeners } from "node:events";
import type { Clock, StoreQuery, StoreRow } from "@trunkline/plugin-sdk";
import pg from "pg";
import type { Connection } from "./connection.ts";
import { isConnectionLost, toPostgresError } from "./postgres-failure.ts";
import { clientConfig, type PostgresOptions, prepareClient, runQuery } from "./postgres-session.ts";

/** Connections for reads; the writer has its own. */
const READERS = 4;
/** A read whose connection was lost is repeated for so long, ms: a restart of the server is shorter, and reading twice is harmless. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** A few connections for reads. */
export class PostgresReader implements Connection {
  readonly dialect = "postgres";
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  /** Something was read: the address is right, and what fails now may come back. */
  #proven = false;

  constructor(options: PostgresOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    // One listener for each read that waits.
    setMaxListeners(0, this.#closing.signal);
    this.#pool = new pg.Pool({
      ...clientConfig(options),
      max: READERS,
      allowExitOnIdle: true,
      onConnect: async (client) => void (await prepareClient(client, options)),
    });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on("error", () => {});
  }

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    const started = this.#clock.monotonic();
    for (;;) {
      try {
        const rows = await runQuery(this.#pool, query);
        this.#proven = true;
        return rows;
      } catch (error) {
        const late = this.#clock.monotonic() - started > PATIENCE_MS;
        if (late || !this.#proven || this.#closing.signal.aborted || !isConnectionLost(error))
          throw toPostgresError(error, this.#options.address);
      }
      await this.#clock.sleep(PAUSE_MS, this.#closing.signal).catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pool.end();
  }
}
