import { type Clock, GatewayError, type Logger, type Store } from "@trunkline/plugin-sdk";
import { storeUrlFault } from "../config/addresses.ts";
import { withRestoreAdvice } from "./backups.ts";
import type { WriteConnection } from "./connection.ts";
import { GatewayStore } from "./gateway-store.ts";
import { migrate, requireCurrentSchema } from "./migrations.ts";
import { backUp } from "./sqlite-backup.ts";
import { openSqliteReader, openSqliteWriter } from "./sqlite-connection.ts";
import { type FileSystemType, makePrivate, prepareFile, requireFile } from "./sqlite-file.ts";

export interface OpenStoreOptions {
  /** `sqlite:/path/trunkline.db` or `postgres://user:password@host/database`. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** PostgreSQL only: the schema that holds our tables. Default `trunkline`. */
  readonly schema?: string;
  /** Opens without changing anything, for the command line when no gateway runs. */
  readonly readOnly?: boolean;
  /** Tells the file system of a path; replaced in tests. */
  readonly fileSystemType?: FileSystemType;
}

/**
 * Opens the store that `store.url` names and brings its schema up to date.
 * Rejects with STORE_UNAVAILABLE, STORE_FULL, STORE_CORRUPT or STORE_NEWER, each naming the path and the next step.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { url } = options;
  const fault = storeUrlFault(url);
  if (fault !== undefined)
    throw new GatewayError("STORE_UNAVAILABLE", { detail: { path: "of store.url" }, hint: `store.url: ${fault.message}. ${fault.hint}` });
  if (!url.startsWith("sqlite:")) return await openPostgresStore(options);
  return await openSqliteStore(sqlitePath(url), options).catch(async (error: unknown) => {
    throw await withRestoreAdvice(error);
  });
}

/** `sqlite:/a/b.db` and `sqlite:///a/b.db` are absolute, `sqlite:a/b.db` is below the working folder. */
function sqlitePath(url: string): string {
  return url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
}

async function openSqliteStore(path: string, options: OpenStoreOptions): Promise<Store> {
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

/**
 * PostgreSQL's `if not exists` does not hold between two sessions that create the same schema at one moment: the slower one gets a
 * unique violation. The schema is there then, so asking again succeeds.
 */
async function createSchema(writer: WriteConnection, schema: string): Promise<void> {
  const query = { sql: `create schema if not exists ${schema}`, parameters: [] };
  await writer.execute(query).catch(() => writer.execute(query));
}

async function openPostgresStore(options: OpenStoreOptions): Promise<Store> {
  // Only here: most gateways never need the driver.
  const { PostgresReader, PostgresWriter, postgresName } = await import("./postgres-connection.ts");
  const { url, clock, schema = "trunkline" } = options;
  const path = postgresName(url);
  // It stands unquoted in statements and in the connection's options.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new GatewayError("STORE_UNAVAILABLE", {
      detail: { path, schema },
      hint: "A schema name is lower-case letters, digits and _.",
    });
  }
  const reader = new PostgresReader({ url, schema });
  if (options.readOnly === true) {
    await closingOnError([reader], () => requireCurrentSchema(reader, path));
    return new GatewayStore({ reader, path }, clock);
  }
  const writer = new PostgresWriter({ url, schema });
  return await closingOnError([reader, writer], async () => {
    await createSchema(writer, schema);
    await migrate(writer, { path });
    return new GatewayStore({ writer, reader, path }, clock);
  });
}

async function closingOnError<T>(connections: readonly { close(): Promise<void> }[], open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await Promise.allSettled(connections.map((connection) => connection.close()));
    throw error;
  }
}
