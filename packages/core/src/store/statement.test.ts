import type { StoreQuery, StoreTx } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { statement, type StoreDialect } from "./statement.ts";

function fakeTx(dialect: StoreDialect) {
  const queries: StoreQuery[] = [];
  const tx: StoreTx = {
    dialect,
    execute: async <Row>(query: StoreQuery) => {
      queries.push(query);
      return [{ model: "m" }] as Row[];
    },
  };
  return { tx, queries };
}

describe("a statement", () => {
  it("is built once per database and run with new values", async () => {
    let built = 0;
    const find = statement<{ id: string; least: number }>()((db, p) => {
      built += 1;
      return db.selectFrom("turns").select("model").where("state", "=", "running").where("id", "=", p.id).where("attempts", ">", p.least);
    });
    const sqlite = fakeTx("sqlite");
    const postgres = fakeTx("postgres");
    expect(await find.first(sqlite.tx, { id: "a", least: 1 })).toEqual({ model: "m" });
    expect(await find.all(sqlite.tx, { id: "b", least: 2 })).toEqual([{ model: "m" }]);
    await find.all(postgres.tx, { id: "c", least: 3 });
    expect(built).toBe(2);
    expect(sqlite.queries.map((query) => query.parameters)).toEqual([
      ["running", "a", 1],
      ["running", "b", 2],
    ]);
    // The driver's cache of prepared statements is keyed by the text.
    expect(sqlite.queries[0]!.sql).toBe(sqlite.queries[1]!.sql);
    expect(postgres.queries[0]!.sql).toContain("$3");
    expect(postgres.queries[0]!.parameters).toEqual(["running", "c", 3]);
  });

  it("puts one value in every place where it is named, and keeps null", async () => {
    const save = statement<{ turn: string; result: string | null }>()((db, p) =>
      db
        .updateTable("steps")
        .set({ result_json: p.result })
        .where((eb) => eb.or([eb("turn", "=", p.turn), eb("request_hash", "=", p.turn)])),
    );
    const { tx, queries } = fakeTx("sqlite");
    await save.all(tx, { turn: "t", result: null });
    expect(queries[0]!.parameters).toEqual([null, "t", "t"]);
  });
});
