import { chmod, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "@trunkline/plugin-sdk";
import type { Connection } from "./connection.ts";
import { toSqliteError } from "./failure.ts";
import { createPrivate } from "./sqlite-file.ts";

/** Backups that are kept; the oldest go first. */
const KEPT = 3;
const NAME = /^trunkline-\d{8}T\d{9}Z-schema-\d+\.db$/;

/**
 * Copies the database into `backups/` beside it and removes all but the newest three copies.
 * The name has the time first, so that names sort by age. Gives the path of the copy.
 */
export async function backUp(connection: Connection, path: string, schema: number, clock: Clock): Promise<string> {
  const folder = join(dirname(path), "backups");
  const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
  const target = join(folder, `trunkline-${time}-schema-${schema}.db`);
  const partial = `${target}.partial`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(partial, { force: true });
    // VACUUM INTO accepts an existing empty file, and so the copy is never readable by others.
    await createPrivate(partial);
    await connection.execute({ sql: "vacuum into ?", parameters: [partial] });
    await chmod(partial, 0o600);
    await rename(partial, target);
    const copies = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
    await Promise.all(copies.slice(0, -KEPT).map((name) => rm(join(folder, name), { force: true })));
    return target;
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw toSqliteError(error, folder);
  }
}
