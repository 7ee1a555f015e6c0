import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { databasePath, listBackups, readDatabaseFile } from "@trunkline/core";
import type { StoreStatus } from "./control/protocol.ts";
import type { DataFolder } from "./data-folder.ts";

/** Looks at the store's file and its backups; changes nothing. Of PostgreSQL only the server's name is told. */
export async function describeStore(data: DataFolder): Promise<StoreStatus> {
  const path = databasePath(data.storeUrl);
  const file = path !== undefined && existsSync(path) ? await readDatabaseFile(path) : undefined;
  return {
    place: path ?? `PostgreSQL at ${URL.canParse(data.storeUrl) ? new URL(data.storeUrl).host : "an address that cannot be read"}`,
    size: file?.size ?? null,
    schema: file?.schema ?? null,
    known: file?.known ?? null,
    backups: path === undefined ? [] : await listBackups(path),
    freeBytes: await freeBytesAt(data.path).catch(() => null),
  };
}

/** What a process of this user may still write on the disk of a folder. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
