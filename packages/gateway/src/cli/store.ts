import { resolve } from "node:path";
import { acquireInstanceLock, backUpDatabase, databasePath, openStore, readDatabaseFile, restoreDatabase } from "@trunkline/core";
import { GatewayError, isGatewayError, systemClock } from "@trunkline/plugin-sdk";
import type { StoreStatus } from "../control/protocol.ts";
import { type DataFolder, makeDataFolder } from "../data-folder.ts";
import { describeStore } from "../store-status.ts";
import { connectGateway } from "./connect.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";

export interface StoreOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** Copies the database; a running gateway does it itself, and goes on meanwhile. */
export async function storeBackupCommand(file: string | undefined, options: StoreOptions, io: CliIo): Promise<ExitCode> {
  const { api, data } = connectGateway(options, io);
  requireSqlite(data);
  // Seen from here, not from where the gateway was started.
  const target = file === undefined ? {} : { file: resolve(file) };
  const made = await orStopped(api.storeBackup(target), () =>
    withLock(data, async () => ({ file: await backUpDatabase(requireSqlite(data), target.file, systemClock) })),
  );
  io.out(options.json ? JSON.stringify(made, null, 2) : `Copied to ${made.file}`);
  return EXIT.ok;
}

/** Puts a backup in the place of the database, while no gateway runs. */
export async function storeRestoreCommand(file: string, options: StoreOptions, io: CliIo): Promise<ExitCode> {
  const { data } = connectGateway(options, io);
  const path = requireSqlite(data);
  makeDataFolder(data.path);
  const restored = await withLock(data, () => restoreDatabase(path, resolve(file), systemClock));
  if (options.json) io.out(JSON.stringify(restored, null, 2));
  else {
    io.out(`Restored ${resolve(file)} as ${path} (schema ${restored.schema}).`);
    if (restored.kept !== null) io.out(`  The replaced database is ${restored.kept}; delete it when you do not need it any more.`);
  }
  return EXIT.ok;
}

/** Brings the database to this version's schema, as the next start would. */
export async function storeMigrateCommand(options: StoreOptions, io: CliIo): Promise<ExitCode> {
  const { data } = connectGateway(options, io);
  const path = databasePath(data.storeUrl);
  const migrated = await withLock(data, async () => {
    const from = path === undefined ? null : (await readDatabaseFile(path)).schema;
    await (await openStore({ url: data.storeUrl, clock: systemClock })).close();
    return { from, ...(await describeStore(data)) };
  });
  const { from, schema } = migrated;
  const moved = from === null || from === schema ? "Nothing to do" : `From schema ${from} to ${schema}; a copy was made before`;
  io.out(options.json ? JSON.stringify(migrated, null, 2) : `${moved}: the database has schema ${schema ?? "of this version"}.`);
  return EXIT.ok;
}

/** Prints where everything is kept, how big it is, and which backups there are. */
export async function storeStatusCommand(options: StoreOptions, io: CliIo): Promise<ExitCode> {
  const { api, data } = connectGateway(options, io);
  const status = await orStopped(api.storeStatus({}), () => describeStore(data));
  io.out(options.json ? JSON.stringify(status, null, 2) : format(status));
  return EXIT.ok;
}

function format({ place, size, schema, known, backups, freeBytes }: StoreStatus): string {
  const lines = [`store    ${place}`];
  if (size !== null) lines.push(`size     ${megabytes(size)}, schema ${schema} (this version knows ${known})`);
  if (freeBytes !== null) lines.push(`disk     ${megabytes(freeBytes)} free`);
  lines.push(backups.length === 0 ? "backups  none" : "backups  newest first");
  for (const { path, size: bytes, at, made } of backups)
    lines.push(`  ${new Date(at).toISOString()}  ${megabytes(bytes)}  ${made}  ${path}`);
  return lines.join("\n");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function requireSqlite({ storeUrl }: DataFolder): string {
  const path = databasePath(storeUrl);
  if (path !== undefined) return path;
  const hint = "Copy and restore it with PostgreSQL's own pg_dump and pg_restore.";
  throw new GatewayError("GATEWAY_USAGE", { detail: { reason: "the store is a PostgreSQL database" }, hint });
}

async function orStopped<T>(asked: Promise<T>, instead: () => Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!isGatewayError(error, "GATEWAY_NOT_RUNNING")) throw error;
    return instead();
  }
}

/** Keeps a gateway from starting on the folder meanwhile. Rejects with STORE_LOCKED while one runs. */
async function withLock<T>(data: DataFolder, work: () => Promise<T>): Promise<T> {
  const lock = await acquireInstanceLock(data.path);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
