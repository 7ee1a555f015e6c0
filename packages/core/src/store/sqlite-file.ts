import { access, chmod, constants, mkdir, open, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@trunkline/plugin-sdk";
import { toSqliteError } from "./failure.ts";

/**
 * File systems over which SQLite's locks or shared memory cannot be trusted (sqlite.org/wal.html: "WAL does not work over a
 * network filesystem"). Numbers of statfs(2) in Linux' magic.h. One behind FUSE cannot be told from a local one.
 */
const NETWORK_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB2",
};

/** Gives the number of the file system that holds a path. */
export type FileSystemType = (path: string) => Promise<number>;

const systemType: FileSystemType = async (path) => (await statfs(path)).type >>> 0;

/**
 * Makes sure that the database file exists, can be written (a new one is 0600, in a 0700 folder that we create), and is on a
 * local disk.
 */
export async function prepareFile(path: string, typeOf: FileSystemType = systemType): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireLocalDisk(folder, typeOf);
    await createPrivate(path);
    if ((await stat(path)).isDirectory()) throw directoryError(path);
    await access(folder, constants.W_OK | constants.X_OK);
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw toSqliteError(error, path);
  }
}

/** Takes the rights of others away from a database that was opened. Not before: a wrong path may name somebody else's file. */
export async function makePrivate(path: string): Promise<void> {
  await chmod(path, 0o600);
}

/** The same for a file that must exist and is only read. */
export async function requireFile(path: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) throw directoryError(path);
    await access(path, constants.R_OK);
  } catch (error) {
    throw toSqliteError(error, path);
  }
}

/**
 * Creates an empty file with mode 0600 when there is none. An existing one is never opened: closing any descriptor of a file drops
 * the locks that this process holds on it (POSIX), those of an open database too.
 */
export async function createPrivate(path: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Rejects with STORE_UNAVAILABLE when a folder is on a network file system. */
export async function requireLocalDisk(folder: string, typeOf: FileSystemType = systemType): Promise<void> {
  const name = NETWORK_FILE_SYSTEMS[await typeOf(folder)];
  if (name === undefined) return;
  const hint = `The folder is on a network file system (${name}), where SQLite loses data. Use a local disk, or store.url with PostgreSQL.`;
  throw new GatewayError("STORE_UNAVAILABLE", { detail: { path: folder, fileSystem: name }, hint });
}

function directoryError(path: string): GatewayError {
  return new GatewayError("STORE_UNAVAILABLE", {
    detail: { path },
    hint: "It is a folder; the database is a file in it.",
  });
}
