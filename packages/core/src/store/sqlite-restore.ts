import { constants, copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "@trunkline/plugin-sdk";
import { stamp } from "./backups.ts";
import { backUpDatabase, requireUsable } from "./database-file.ts";
import { toSqliteError } from "./failure.ts";
import { openSqliteWriter } from "./sqlite-connection.ts";

/** What a restore did. */
export interface Restored {
  /** The database, now with the content of the backup. */
  readonly path: string;
  /** The replaced database; null when there was none. */
  readonly kept: string | null;
  readonly schema: number;
}

/**
 * Puts a copy of `file` in the place of the database at `path`, and keeps the replaced one beside it. The caller holds the lock of the
 * data folder. Until the last step the old database is in its place, so a crash on the way leaves one of the two, whole.
 * Rejects with STORE_BACKUP_UNUSABLE or STORE_NEWER before anything is changed, or with STORE_FULL.
 */
export async function restoreDatabase(path: string, file: string, clock: Clock): Promise<Restored> {
  const { schema } = await requireUsable(file);
  const fresh = `${path}.restoring`;
  try {
    await rm(fresh, { force: true });
    // Through SQLite and not as bytes: the file may have a write-ahead log of its own.
    await backUpDatabase(file, fresh, clock);
    await flush(fresh);
    const kept = (await exists(path)) ? await setAside(path, clock) : null;
    await rename(fresh, path);
    await flush(dirname(path));
    return { path, kept, schema };
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    throw toSqliteError(error, path);
  }
}

/** Gives the present database a second name, and takes its write-ahead log away: on another database it would be poison. */
async function setAside(path: string, clock: Clock): Promise<string> {
  // So that the log is empty. A database that is too damaged for it keeps its log under the new name.
  await openSqliteWriter(path, clock).then(
    (writer) => writer.close(),
    () => {},
  );
  const kept = join(dirname(path), `trunkline-replaced-${stamp(clock.now())}.db`);
  await link(path, kept).catch(() => copyFile(path, kept, constants.COPYFILE_EXCL));
  if (await exists(`${path}-wal`)) await rename(`${path}-wal`, `${kept}-wal`);
  await rm(`${path}-shm`, { force: true });
  return kept;
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
