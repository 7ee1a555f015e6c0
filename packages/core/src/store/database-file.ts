import { type FileHandle, open, stat } from "node:fs/promises";
import { type Clock, GatewayError, isGatewayError } from "@trunkline/plugin-sdk";
import { withRestoreAdvice } from "./backups.ts";
import { MIGRATIONS, schemaNumber } from "./migrations.ts";
import { backUpTo } from "./sqlite-backup.ts";
import { openSqliteReader } from "./sqlite-connection.ts";
import { requireFile } from "./sqlite-file.ts";

/** The path of a `sqlite:` address; undefined for another database. */
export function databasePath(url: string): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "") : undefined;
}

/** A database file as it is on the disk. */
export interface DatabaseFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Its schema number; 0 for an empty file. */
  readonly schema: number;
  /** The newest schema that this program knows. */
  readonly known: number;
}

/** Reads size and schema of a database file. Rejects with STORE_CORRUPT when it is none of ours, STORE_UNAVAILABLE when it cannot be read. */
export async function readDatabaseFile(path: string): Promise<DatabaseFile> {
  await requireFile(path);
  const reader = await openSqliteReader(path);
  try {
    return { path, size: (await stat(path)).size, schema: await schemaNumber(reader, path), known: MIGRATIONS.length };
  } finally {
    await reader.close();
  }
}

/**
 * Makes sure that a file can take the place of the database: whole, ours, and not of a newer version. Every page is read.
 * Rejects with STORE_BACKUP_UNUSABLE, or STORE_NEWER.
 */
export async function requireUsable(path: string): Promise<DatabaseFile> {
  const unusable = (reason: string, cause?: unknown): GatewayError =>
    new GatewayError("STORE_BACKUP_UNUSABLE", { detail: { file: path, reason }, cause });
  const header = await readHeader(path);
  if (header === undefined) throw unusable("it is no SQLite database, or cannot be read");
  // SQLite reads what is missing of a last page as zeros, and finds nothing wrong with that.
  if ((await stat(path)).size < header.bytes) throw unusable("its end is missing");
  try {
    const found = await readDatabaseFile(path);
    if (found.schema === 0) throw unusable("it is empty");
    if (found.schema > found.known) throw new GatewayError("STORE_NEWER", { detail: { found: found.schema, known: found.known } });
    const damage = await findDamage(path, "integrity_check");
    if (damage !== undefined) throw unusable(`it is damaged: ${damage}`);
    return found;
  } catch (error) {
    throw isGatewayError(error, "STORE_BACKUP_UNUSABLE", "STORE_NEWER")
      ? error
      : unusable("it is damaged, or not a database of Trunkline", error);
  }
}

/** Reads every page of a database. Rejects with STORE_CORRUPT and the way to restore a backup when one is damaged. */
export async function requireIntact(path: string): Promise<void> {
  const damage = await findDamage(path, "quick_check").catch((error: unknown) => error);
  if (damage !== undefined) throw await withRestoreAdvice(new GatewayError("STORE_CORRUPT", { detail: { path, damage: String(damage) } }));
}

/** What SQLite says first about the pages of a file; undefined when all are fine. `quick_check` does not compare indexes with their tables. */
async function findDamage(path: string, check: "integrity_check" | "quick_check"): Promise<string | undefined> {
  const reader = await openSqliteReader(path);
  try {
    const [row] = await reader.execute({ sql: `pragma ${check}(1)`, parameters: [] });
    const said = String(row?.[check]);
    return said === "ok" ? undefined : said.replace(/\s+/g, " ").slice(0, 200);
  } finally {
    await reader.close();
  }
}

/**
 * Copies the database at `path` to `target`, or into `backups/` beside it; also while it is written to. Gives the path of the copy.
 * Rejects with STORE_BACKUP_EXISTS, STORE_FULL, STORE_UNAVAILABLE or STORE_CORRUPT.
 */
export async function backUpDatabase(path: string, target: string | undefined, clock: Clock): Promise<string> {
  await requireFile(path);
  // Looked at here, where an error has its code, before the copying begins elsewhere.
  await (await openSqliteReader(path)).close();
  return await backUpTo(path, target, clock);
}

/** The first 16 bytes of every SQLite database. Source: sqlite.org/fileformat2.html. */
const MAGIC = "SQLite format 3\0";
/** Length of the part of the header that is read here: up to the number of pages. */
const HEADER = 32;

/**
 * What the header of a database says: how long the file has to be. Looked at before SQLite opens it: for a file that is no database it
 * might make files of its own beside it. Undefined for such a file.
 */
async function readHeader(path: string): Promise<{ readonly bytes: number } | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER), 0, HEADER, 0);
      if (bytesRead < HEADER || buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
      const pageSize = buffer.readUInt16BE(16);
      // 1 stands for 65,536. The number of pages counts only when it was written with the last change.
      const isFresh = buffer.readUInt32BE(24) === (await versionOf(file));
      return { bytes: isFresh ? buffer.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) : 0 };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The change counter for which the number of pages was written. */
async function versionOf(file: FileHandle): Promise<number> {
  return (await file.read(Buffer.alloc(4), 0, 4, 92)).buffer.readUInt32BE(0);
}
