import { afterAll, beforeAll, describe, it } from "vitest";
import { storeContract } from "../../packages/plugin-sdk/src/testing/store-contract.ts";
import { postgresDatabase, sqliteDatabase, type TestDatabase } from "./databases.ts";

describe.each([
  ["SQLite", sqliteDatabase],
  ["PostgreSQL", postgresDatabase],
] as const)("the store on %s", (_name, start) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await start();
  }, 60_000);
  afterAll(() => database?.stop());

  storeContract({ test: (name, run) => void it(name, run), open: () => database.open() });
});
