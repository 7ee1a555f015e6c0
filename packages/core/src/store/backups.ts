import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ERROR_CODES, GatewayError, isGatewayError } from "@trunkline/plugin-sdk";

/** A copy of the database. */
export interface Backup {
  /** Absolute path. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** When it was made, ms UTC. */
  readonly at: number;
  /** `migration`: made before one, the newest three are kept; `manual`: asked for, kept until somebody deletes it. */
  readonly made: "migration" | "manual";
}

/** The folder of copies beside a database. */
export function backupFolder(databasePath: string): string {
  return join(dirname(databasePath), "backups");
}

/** Name of the copy that is made before a migration; names sort by age. */
export function migrationBackupName(now: number, schema: number): string {
  return `trunkline-${stamp(now)}-schema-${schema}.db`;
}

/** Name of a copy that somebody asked for. */
export function manualBackupName(now: number): string {
  return `trunkline-${stamp(now)}-manual.db`;
}

/** `20261130T174412123Z`: the time without the signs that a file name does not take. */
export function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "");
}

/** Matches the names of copies before migrations, which are pruned. */
export const MIGRATION_BACKUP = /^trunkline-\d{8}T\d{9}Z-schema-\d+\.db$/;
const ANY_BACKUP = /^trunkline-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-(?:schema-\d+|manual)\.db$/;

/** The copies beside a database, newest first; empty when there is no folder of them. */
export async function listBackups(databasePath: string): Promise<readonly Backup[]> {
  const folder = backupFolder(databasePath);
  const names = (await readdir(folder).catch(() => [])).filter((name) => ANY_BACKUP.test(name));
  const found = await Promise.all(
    names.map(async (name): Promise<Backup[]> => {
      const path = join(folder, name);
      const info = await stat(path).catch(() => undefined);
      if (!info?.isFile()) return [];
      return [{ path, size: info.size, at: timeOf(name), made: MIGRATION_BACKUP.test(name) ? "migration" : "manual" }];
    }),
  );
  return found.flat().sort((a, b) => b.at - a.at || (a.path < b.path ? 1 : -1));
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second, ms] = ANY_BACKUP.exec(name)!.map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second, ms);
}

/**
 * The same error with the next step that fits this folder: which copy to restore, and the command. An error that knows better than its
 * table, or that is of another kind, is given back as it is.
 */
export async function withRestoreAdvice<E>(error: E): Promise<E | GatewayError> {
  if (!isGatewayError(error, "STORE_CORRUPT") || error.hint !== ERROR_CODES.STORE_CORRUPT[1]) return error;
  const path = error.detail["path"];
  if (typeof path !== "string") return error;
  const [newest] = await listBackups(path);
  const hint =
    newest === undefined
      ? `There is no copy in ${backupFolder(path)}. Keep the file: \`sqlite3 ${path} .recover\` can save what is readable.`
      : `Stop the gateway and run: trunkline store restore ${newest.path} (made ${new Date(newest.at).toISOString()}; the damaged file is kept beside it).`;
  return new GatewayError(error.code, { detail: error.detail, hint, cause: error.cause, retryable: false });
}
