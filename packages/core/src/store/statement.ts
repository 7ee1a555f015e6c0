import type { StoreQuery, StoreTx } from "@trunkline/plugin-sdk";
import { type Builder as BuilderOf, createBuilder } from "./kysely.ts";
import type { Tables } from "./schema.ts";

export type StoreDialect = StoreTx["dialect"];
/** The query builder over our tables. It writes SQL and never runs it. */
export type Builder = BuilderOf<Tables>;

interface Buildable<Row> {
  compile(): StoreQuery & { readonly query: unknown };
  /** Carries the row type of a Kysely builder; never called. */
  executeTakeFirst(): Promise<Row | undefined>;
}

/** A statement whose SQL is written once per database; the text is the key of the driver's cache of prepared statements. */
export interface Statement<Args, Row> {
  all(tx: StoreTx, args: Args): Promise<readonly Row[]>;
  first(tx: StoreTx, args: Args): Promise<Row | undefined>;
}

/** Stands for a value while the statement is built: its place among the parameters says where the value goes. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const BUILDERS: Readonly<Record<StoreDialect, Builder>> = { sqlite: createBuilder("sqlite"), postgres: createBuilder("postgres") };

/** A property read gives the placeholder of that name, typed as the value that will stand there. */
function placeholders<Args extends object>(): Args {
  return new Proxy({} as Args, { get: (_target, name) => new Placeholder(String(name)) });
}

/**
 * Builds a statement at its first use per database. `build` gets the builder and an object whose properties are the arguments:
 *
 * ```ts
 * const byId = statement<{ id: string }>()((db, p) => db.selectFrom("turns").select("model").where("id", "=", p.id));
 * await byId.first(tx, { id });
 * ```
 * An argument is only ever a value, never a branch: a statement has one text.
 */
export function statement<Args extends object>() {
  return <Row>(build: (db: Builder, p: Args) => Buildable<Row>): Statement<Args, Row> => {
    const compiled: { [dialect in StoreDialect]?: StoreQuery } = {};
    const all = (tx: StoreTx, args: Args): Promise<readonly Row[]> => {
      const { dialect } = tx;
      const query = (compiled[dialect] ??= build(BUILDERS[dialect], placeholders<Args>()).compile());
      return tx.execute<Row>({ sql: query.sql, parameters: bind(query.parameters, args) });
    };
    return { all, first: async (tx, args) => (await all(tx, args))[0] };
  };
}

function bind(parameters: readonly unknown[], args: object): unknown[] {
  const values = args as Readonly<Record<string, unknown>>;
  return parameters.map((parameter) => (parameter instanceof Placeholder ? values[parameter.name] : parameter));
}
