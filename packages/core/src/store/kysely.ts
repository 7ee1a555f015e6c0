import * as kysely from "kysely";

/** The one door to Kysely: what of it builds SQL. Its drivers are not used. */
export const { sql } = kysely;

/** The query builder over a set of tables. */
export type Builder<Tables> = kysely.Kysely<Tables>;

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
