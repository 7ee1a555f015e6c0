import { type Clock, GatewayError, type Logger } from "@trunkline/plugin-sdk";
import { storeUrlFault } from "../config/addresses.ts";
import { withRestoreAdvice } from "./backups.ts";
import type { WriteConnection } from "./connection.ts";
import { GatewayStore, type OpenedStore } from "./gateway-store.ts";
import { migrate, requireCurrentSchema } from "./migrations.ts";
import { backUp } from "./sqlite-backup.ts";
import { openSqliteReader, openSqliteWriter } from "./sqlite-connection.ts";
import { type FileSystemType, makePrivate, prepareFile, requireFile } from "./sqlite-file.ts";

/** The PostgreSQL schema that holds our tables. */
const SCHEMA = "trunkline";

export interface OpenStoreOptions {
  /** `sqlite:/path/trunkline.db` or `postgres://user:password@host/database`. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** PostgreSQL only: the schema that holds our tables. Default `trunkline`. */
  readonly schema?: string;
  /** Opens without changing anything, for the command line when no gateway runs. */
  readonly readOnly?: boolean;
  /** PostgreSQL only. Called once, when this gateway must end: STORE_CHANGED, somebody else wrote meanwhile. */
  readonly onEnded?: (error: GatewayError) => void;
  /** Tells the file system of a path; replaced in tests. */
  readonly fileSystemType?: FileSystemType;
}

/**
 * Opens the store that `store.url` names and brings its schema up to date.
 * Rejects with STORE_UNAVAILABLE, STORE_FULL, STORE_CORRUPT or STORE_NEWER, and on PostgreSQL with STORE_UNREACHABLE, STORE_REFUSED,
 * STORE_TLS, STORE_UNSUITABLE or STORE_IN_USE; each names the place and the next step.
 */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const { url } = options;
  const fault = storeUrlFault(url);
  if (fault !== undefined)
    throw new GatewayError("STORE_UNAVAILABLE", { detail: { path: "of store.url" }, hint: `store.url: ${fault.message}. ${fault.hint}` });
  if (isPostgres(url)) return await openPostgresStore(options);
  return await openSqliteStore(sqlitePath(url), options).catch(async (error: unknown) => {
    throw await withRestoreAdvice(error);
  });
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/** `sqlite:/a/b.db` and `sqlite:///a/b.db` are absolute, `sqlite:a/b.db` is below the working folder. */
function sqlitePath(url: string): string {
  return url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
}

async function openSqliteStore(path: string, options: OpenStoreOptions): Promise<OpenedStore> {
  const { clock, logger } = options;
  if (options.readOnly === true) {
    await requireFile(path);
    const reader = await openSqliteReader(path);
    await closingOnError([reader], () => requireCurrentSchema(reader, path));
    return new GatewayStore({ reader, path }, clock);
  }
  await prepareFile(path, options.fileSystemType);
  const writer = await openSqliteWriter(path, clock);
  return await closingOnError([writer], async () => {
    await migrate(writer, {
      path,
      backUp: async (schema) => {
        const copy = await backUp(writer, path, schema, clock);
        logger?.info({ backup: copy, schema }, "database copied before its migration");
      },
    });
    await makePrivate(path);
    return new GatewayStore({ writer, reader: await openSqliteReader(path), path }, clock);
  });
}

async function openPostgresStore(options: OpenStoreOptions): Promise<OpenedStore> {
  // Only here: most gateways never need the driver.
  const { readPostgresAddress } = await import("./postgres-address.ts");
  const { PostgresReader } = await import("./postgres-reader.ts");
  const { url, clock, logger, onEnded, schema = SCHEMA } = options;
  const address = readPostgresAddress(url);
  const { name: path } = address;
  // It stands unquoted in statements.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const hint = "A schema name is lower-case letters, digits and _.";
    throw new GatewayError("STORE_UNAVAILABLE", { detail: { path, schema }, hint });
  }
  const reader = new PostgresReader({ address, schema }, clock);
  if (options.readOnly === true) {
    await closingOnError([reader], () => requireCurrentSchema(reader, path));
    return new GatewayStore({ reader, path }, clock);
  }
  const { PostgresWriter } = await import("./postgres-writer.ts");
  const writer = new PostgresWriter({ address, schema, clock, ...(logger ? { logger } : {}), ...(onEnded ? { onEnded } : {}) });
  return await closingOnError([reader, writer], async () => {
    await writer.open();
    await createSchema(writer, schema);
    await migrate(writer, { path });
    await writer.startMarks();
    // From the first read on, a connection that is lost is waited for: the address has been right once.
    await reader.execute({ sql: "select 1", parameters: [] });
    return new GatewayStore({ writer, reader, path }, clock);
  });
}

/**
 * Looks whether a gateway could run on a store; changes nothing. Rejects as `openStore` would, also for a database without rights or
 * with another gateway on it. `running`: the gateway that may be on it is known.
 */
export async function inspectStore(options: { url: string; clock: Clock; running: boolean }): Promise<void> {
  const { url, clock } = options;
  if (isPostgres(url)) {
    const { inspectPostgres } = await import("./postgres-inspection.ts");
    const { readPostgresAddress } = await import("./postgres-address.ts");
    await inspectPostgres({ address: readPostgresAddress(url), schema: SCHEMA }, options.running);
  }
  await (await openStore({ url, clock, readOnly: true })).close();
}

/** Asks first: who may not create schemas may not ask for one that is there either. */
async function createSchema(writer: WriteConnection, schema: string): Promise<void> {
  const there = await writer.execute({ sql: "select 1 from pg_namespace where nspname = $1", parameters: [schema] });
  if (there.length === 0) await writer.execute({ sql: `create schema ${schema}`, parameters: [] });
}

async function closingOnError<T>(connections: readonly { close(): Promise<void> }[], open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await Promise.allSettled(connections.map((connection) => connection.close()));
    throw error;
  }
}
