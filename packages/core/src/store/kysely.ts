import { createRequire } from "node:module";
import type * as Kysely from "kysely";

// The CommonJS build: the other one is 263 modules, which cost a third more time and 7 MB more memory at every start.
const kysely = createRequire(import.meta.url)("kysely") as typeof Kysely;

/** The one door to Kysely: what of it builds SQL. Its drivers are not used. */
export const sql: typeof Kysely.sql = kysely.sql;

/** The query builder over a set of tables. */
export type Builder<Tables> = Kysely.Kysely<Tables>;

/** A builder that writes SQL for one database and never runs it. */
export function createBuilder<Tables>(dialect: "sqlite" | "postgres"): Builder<Tables> {
  return new kysely.Kysely<Tables>({
    dialect: {
      createAdapter: () => (dialect === "sqlite" ? new kysely.SqliteAdapter() : new kysely.PostgresAdapter()),
      createDriver: () => new kysely.DummyDriver(),
      createIntrospector: (db) => (dialect === "sqlite" ? new kysely.SqliteIntrospector(db) : new kysely.PostgresIntrospector(db)),
      createQueryCompiler: () => (dialect === "sqlite" ? new kysely.SqliteQueryCompiler() : new kysely.PostgresQueryCompiler()),
    },
  });
}
