import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "@trunkline/plugin-sdk";
import { sqliteCode, toSqliteError } from "./failure.ts";
import { createPrivate } from "./sqlite-file.ts";
import { openSqlite, type SqliteDatabase } from "./sqlite-library.ts";

export interface InstanceLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only gateway on a data folder.
 *
 * The lock is SQLite's exclusive lock on a small database of its own, lock.db: the kernel frees it however the process ends, so
 * that there is no stale lock file to remove by hand. Rejects with STORE_LOCKED while another one holds it.
 */
export async function acquireInstanceLock(dataFolder: string): Promise<InstanceLock> {
  const path = join(dataFolder, "lock.db");
  let database: SqliteDatabase | undefined;
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    await createPrivate(path);
    await chmod(path, 0o600);
    database = await openSqlite(path, { busyMs: 0 });
    database.exec("begin exclusive");
  } catch (error) {
    if (database?.isOpen === true) database.close();
    if (sqliteCode(error) === 5) throw new GatewayError("STORE_LOCKED", { detail: { path: dataFolder } });
    throw toSqliteError(error, dataFolder);
  }
  const held = database;
  return {
    release: async () => {
      if (held.isOpen) held.close();
    },
  };
}
