import { createRequire } from "node:module";
import type { DatabaseSync } from "@photostructure/sqlite";

export type SqliteDatabase = InstanceType<typeof DatabaseSync>;

export interface SqliteOpenOptions {
  readonly readOnly?: boolean;
  /** How long SQLite itself waits for a lock, ms. It blocks the thread meanwhile. */
  readonly busyMs: number;
}

/** First Node version whose built-in SQLite is used. Before it, a package with the same interface and prebuilt binaries is. */
const BUILT_IN_SINCE = 24;

let loaded: Promise<typeof DatabaseSync> | undefined;

/** Opens a database file with the SQLite of this Node. Throws the driver's own error. */
export async function openSqlite(path: string, options: SqliteOpenOptions): Promise<SqliteDatabase> {
  const Database = await (loaded ??= loadSqlite());
  return new Database(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyMs,
    enableForeignKeyConstraints: false,
  });
}

/** The library's file for a thread that cannot import it by name; null where the SQLite of this Node is used. */
export function sqliteForThread(): string | null {
  return hasOwnSqlite() ? null : createRequire(import.meta.url).resolve("@photostructure/sqlite");
}

function hasOwnSqlite(): boolean {
  return Number.parseInt(process.versions.node, 10) >= BUILT_IN_SINCE;
}

async function loadSqlite(): Promise<typeof DatabaseSync> {
  if (!hasOwnSqlite()) return (await import("@photostructure/sqlite")).DatabaseSync;
  // The types of Node 20, our floor, do not know the module.
  const getBuiltin = (process as unknown as { getBuiltinModule(id: string): { DatabaseSync: typeof DatabaseSync } }).getBuiltinModule;
  return withoutExperimentalWarning(() => getBuiltin("node:sqlite").DatabaseSync);
}

/** Node 24 warns that its SQLite is experimental; whoever starts a gateway can do nothing about it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
