import { chmod, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, GatewayError } from "@trunkline/plugin-sdk";
import { backupFolder, manualBackupName, MIGRATION_BACKUP, migrationBackupName } from "./backups.ts";
import type { Connection } from "./connection.ts";
import { toSqliteError } from "./failure.ts";
import { vacuumOnThread } from "./sqlite-copy.ts";
import { createPrivate } from "./sqlite-file.ts";

/** Copies before migrations that are kept; the oldest go first. */
const KEPT = 3;

/**
 * Copies the database into `backups/` beside it before a migration, and removes all but the newest three such copies. Gives the path of
 * the copy.
 */
export async function backUp(connection: Connection, path: string, schema: number, clock: Clock): Promise<string> {
  const folder = backupFolder(path);
  const target = join(folder, migrationBackupName(clock.now(), schema));
  await copyDatabase(target, async (into) => void (await connection.execute({ sql: "vacuum into ?", parameters: [into] })));
  try {
    const copies = (await readdir(folder)).filter((name) => MIGRATION_BACKUP.test(name)).sort();
    await Promise.all(copies.slice(0, -KEPT).map((name) => rm(join(folder, name), { force: true })));
  } catch (error) {
    throw toSqliteError(error, folder);
  }
  return target;
}

/**
 * Copies the database because somebody asked: to `target`, or into `backups/`, where it stays until it is deleted by hand. Gives the path.
 * Rejects with STORE_BACKUP_EXISTS when the file is there: a copy is never written over.
 */
export async function backUpTo(path: string, target: string | undefined, clock: Clock): Promise<string> {
  const to = target ?? join(backupFolder(path), manualBackupName(clock.now()));
  if (await exists(to)) throw new GatewayError("STORE_BACKUP_EXISTS", { detail: { file: to } });
  await copyDatabase(to, (into) => vacuumOnThread(path, into));
  return to;
}

/** Whole or not there: it gets its name when it is complete. Never readable by others, not even while it grows. */
async function copyDatabase(target: string, vacuum: (into: string) => Promise<void>): Promise<void> {
  const folder = dirname(target);
  const partial = `${target}.partial`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(partial, { force: true });
    // VACUUM INTO accepts an existing empty file.
    await createPrivate(partial);
    await vacuum(partial);
    await chmod(partial, 0o600);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw toSqliteError(error, folder);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
