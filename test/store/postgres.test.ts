import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptInbound, inboundCounts } from "../../packages/core/src/store/inbox.ts";
import { openStore } from "../../packages/core/src/store/open.ts";
import { describeError, type GatewayError, type StoreTx, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { postgresDatabase } from "./databases.ts";
import { inbound } from "./samples.ts";

describe("a PostgreSQL store", () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  beforeAll(async () => {
    database = await postgresDatabase();
  }, 60_000);
  afterAll(() => database?.stop());

  const accept = (n: number) => (tx: StoreTx) => acceptInbound(tx, inbound(n));
  const backend = async (tx: StoreTx) =>
    (await tx.execute<{ pid: number }>({ sql: "select pg_backend_pid() as pid", parameters: [] }))[0]!.pid;
  const terminate = (pid: number) => (tx: StoreTx) => tx.execute({ sql: "select pg_terminate_backend($1, 5000)", parameters: [pid] });

  it("goes on with a new connection when the one for writes was cut while idle", async () => {
    const { store, dispose } = await database.open();
    const pid = await store.write(backend, "durable");
    await store.read(terminate(pid));
    await expect(store.write(accept(1), "durable")).resolves.toMatchObject({ seq: 1 });
    expect(await store.write(backend, "durable")).not.toBe(pid);
    await dispose();
  });

  it("rejects what was under way when the connection was cut, half of nothing, and then goes on", async () => {
    const { store, dispose } = await database.open();
    const outcomes = await Promise.allSettled([
      store.write(accept(1), "durable"),
      store.write(async (tx) => {
        await accept(2)(tx);
        await store.read(terminate(await backend(tx)));
        await accept(3)(tx);
      }, "durable"),
      store.write(accept(4), "durable"),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? (outcome.reason as GatewayError).code : "stored"))).toEqual([
      "STORE_UNAVAILABLE",
      "STORE_UNAVAILABLE",
      "STORE_UNAVAILABLE",
    ]);
    expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: 0 });
    await expect(store.write(accept(5), "durable")).resolves.toMatchObject({ seq: 1 });
    await dispose();
  });

  it("can be opened by two gateways at once on an empty database", async () => {
    const schema = `trunkline_test_${randomBytes(6).toString("hex")}`;
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ url: database.url, clock: systemClock, schema })));
    const results = await Promise.all(stores.map((store, i) => store.write(accept(i + 1), "durable")));
    expect(results.map((result) => result.seq).sort()).toEqual([1, 2, 3]);
    await stores[0]!.write((tx) => tx.execute({ sql: `drop schema ${schema} cascade`, parameters: [] }), "committed");
    await Promise.all(stores.map((store) => store.close()));
  });

  it("explains a wrong password, a wrong database and a server that is not there, without the password", async () => {
    const wrong = new URL(database.url);
    wrong.password = "s3cret-password";
    const nowhere = new URL(database.url);
    nowhere.pathname = "/no_such_database";
    for (const url of [wrong.href, nowhere.href, "postgres://u:s3cret-password@127.0.0.1:1/x"]) {
      const failure = await openStore({ url, clock: systemClock }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: "STORE_UNAVAILABLE",
        hint: expect.stringContaining("store.url"),
      });
      expect(describeError(failure) + JSON.stringify(failure)).not.toContain("s3cret");
    }
  });

  it("refuses a schema name that is not plain", async () => {
    await expect(openStore({ url: database.url, clock: systemClock, schema: "x; drop table y" })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
  });

  it("flushes durable commits only", async () => {
    const { store, dispose } = await database.open();
    const level = (durability: "durable" | "committed") =>
      store.write(
        async (tx) => (await tx.execute({ sql: "show synchronous_commit", parameters: [] }))[0]?.["synchronous_commit"],
        durability,
      );
    expect([await level("committed"), await level("durable"), await level("committed")]).toEqual(["off", "on", "off"]);
    await dispose();
  });
});
