import { GatewayError } from "@trunkline/plugin-sdk";
import type { WriteConnection, Connection } from "./connection.ts";
import type { StoreDialect } from "./statement.ts";
import { deadLetterSchema, firstSchema, mergedInboundSchema } from "./tables.ts";

/** One step forward of the schema. There is no way back but a backup, so a released migration never changes. */
export type Migration = (dialect: StoreDialect) => readonly string[];

/** The schema's number is the number of migrations that made it. New ones are added at the end. */
export const MIGRATIONS: readonly Migration[] = [firstSchema, deadLetterSchema, mergedInboundSchema];

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** Called with the found schema number before an existing database is changed. */
  readonly backUp?: (schema: number) => Promise<unknown>;
  /** The file, or host and database. */
  readonly path: string;
}

/**
 * Brings the database to the newest schema, each migration in its own durable transaction; a migration that fails leaves the one
 * before. Rejects with STORE_NEWER when the database is ahead of this program, and STORE_CORRUPT when it is somebody else's.
 */
export async function migrate(connection: WriteConnection, options: MigrateOptions): Promise<void> {
  const migrations = options.migrations ?? MIGRATIONS;
  const found = await schemaNumber(connection, options.path);
  refuseNewer(found, migrations.length);
  if (found === migrations.length) return;
  if (found > 0) await options.backUp?.(found);
  for (let number = found + 1; number <= migrations.length; number += 1) {
    await connection.begin(true);
    try {
      await applyOne(connection, migrations[number - 1]!, number);
      await connection.commit();
    } catch (error) {
      await connection.rollback();
      throw error;
    }
  }
}

/** For a store that is only read: the schema has to be exactly ours. */
export async function requireCurrentSchema(connection: Connection, path: string): Promise<void> {
  const found = await schemaNumber(connection, path);
  refuseNewer(found, MIGRATIONS.length);
  if (found === MIGRATIONS.length) return;
  const hint = "The database is of an older version; start the gateway once to bring it up to date.";
  throw new GatewayError("STORE_UNAVAILABLE", {
    detail: { path, found, known: MIGRATIONS.length },
    hint,
  });
}

async function applyOne(connection: WriteConnection, migration: Migration, number: number): Promise<void> {
  const text = connection.dialect === "sqlite" ? "text" : 'text collate "C"';
  const end = connection.dialect === "sqlite" ? "strict" : "";
  if (number === 1)
    await connection.execute({
      sql: `create table meta (name ${text} primary key, value ${text} not null) ${end}`,
      parameters: [],
    });
  for (const sql of migration(connection.dialect)) await connection.execute({ sql, parameters: [] });
  const place = connection.dialect === "sqlite" ? "?" : "$1";
  const sql = `insert into meta (name, value) values ('schema', ${place}) on conflict (name) do update set value = excluded.value`;
  await connection.execute({ sql, parameters: [String(number)] });
}

/** The number of the database's schema; 0 for an empty database. Rejects with STORE_CORRUPT when it is another program's. */
export async function schemaNumber(connection: Connection, path: string): Promise<number> {
  const tables = await connection.execute({
    sql:
      connection.dialect === "sqlite"
        ? "select name from sqlite_master where type = 'table'"
        : "select tablename as name from pg_tables where schemaname = current_schema()",
    parameters: [],
  });
  if (tables.length === 0) return 0;
  if (!tables.some((table) => table["name"] === "meta")) throw foreignError(path);
  const rows = await connection.execute({ sql: "select value from meta where name = 'schema'", parameters: [] }).catch((error: unknown) => {
    throw error instanceof GatewayError && error.code === "STORE_FAILED" ? foreignError(path) : error;
  });
  const number = Number(rows[0]?.["value"]);
  if (!Number.isInteger(number) || number < 1) throw foreignError(path);
  return number;
}

function refuseNewer(found: number, known: number): void {
  if (found > known) throw new GatewayError("STORE_NEWER", { detail: { found, known } });
}

function foreignError(path: string): GatewayError {
  const hint = "It holds the tables of another program. Choose another file or schema, or restore a backup from the backups folder.";
  return new GatewayError("STORE_CORRUPT", { detail: { path }, hint });
}
