import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptInbound, inboundCounts } from "../../packages/core/src/store/inbox.ts";
import { inspectStore, openStore } from "../../packages/core/src/store/open.ts";
import { requireServer } from "../../packages/core/src/store/postgres-session.ts";
import { describeError, type GatewayError, type Store, type StoreTx, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { postgresDatabase, startPostgres } from "./databases.ts";
import { inbound } from "./samples.ts";

describe("a PostgreSQL store", () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  beforeAll(async () => {
    database = await postgresDatabase();
  }, 60_000);
  afterAll(() => database?.stop(), 60_000);

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

  it("runs again what was under way when the connection was cut: nobody hears of it, and nothing is there twice", async () => {
    const { store, dispose } = await database.open();
    let cuts = 0;
    const results = await Promise.all([
      store.write(accept(1), "durable"),
      store.write(async (tx) => {
        await accept(2)(tx);
        if (cuts++ === 0) await store.read(terminate(await backend(tx)));
        return accept(3)(tx);
      }, "durable"),
      store.write(accept(4), "durable"),
    ]);
    expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
    expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: 4, duplicates: 0 });
    await dispose();
  });

  it("rejects a unit that cuts the connection whenever it runs, and those that came with it; the next ones are stored", async () => {
    const { store, dispose } = await database.open();
    const outcomes = await Promise.allSettled([
      store.write(accept(1), "durable"),
      store.write(async (tx) => {
        await store.read(terminate(await backend(tx)));
        await accept(2)(tx);
      }, "durable"),
    ]);
    const codes = outcomes.map((outcome) => outcome.status === "rejected" && (outcome.reason as GatewayError).code);
    expect(codes).toEqual(["STORE_UNREACHABLE", "STORE_UNREACHABLE"]);
    expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: 0 });
    await expect(store.write(accept(5), "durable")).resolves.toMatchObject({ seq: 1 });
    await dispose();
  });

  it("explains a wrong password, a wrong database, a wrong host and a server that is not there, without the password", async () => {
    const wrong = new URL(database.url);
    wrong.password = "s3cret-password";
    const nowhere = new URL(database.url);
    nowhere.pathname = "/no_such_database";
    const plain = new URL(database.url);
    plain.searchParams.set("sslmode", "require");
    for (const [url, code, says] of [
      [wrong.href, "STORE_REFUSED", "password authentication failed"],
      [nowhere.href, "STORE_REFUSED", 'database "no_such_database" does not exist'],
      [plain.href, "STORE_TLS", "does not support SSL"],
      ["postgres://u:s3cret-password@127.0.0.1:1/x", "STORE_UNREACHABLE", "ECONNREFUSED"],
      ["postgres://u:s3cret-password@no-such-host.invalid/x", "STORE_UNREACHABLE", "no-such-host.invalid"],
      ["postgres://u:s3cret-password@127.0.0.1/x?sslrootcert=/no/such/ca.pem", "STORE_TLS", "/no/such/ca.pem"],
    ] as const) {
      for (const readOnly of [false, true]) {
        const failure = await openStore({ url, clock: systemClock, readOnly }).catch((error: unknown) => error);
        expect(failure).toMatchObject({ code, message: expect.stringContaining(says), hint: expect.stringMatching(/\w/) });
        expect(describeError(failure) + JSON.stringify(failure) + (failure as GatewayError).hint).not.toContain("s3cret");
      }
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

  it("is refused on a server that cannot hold it: too old, another encoding, only for reading", async () => {
    expect(() => requireServer(90_624, "UTF8", "postgres://db/t")).toThrow("its PostgreSQL is version 9");
    const { execute, createDatabase, stop } = await startPostgres();
    try {
      const url = new URL(await createDatabase());
      await execute("create database latin encoding 'LATIN1' locale 'C' template template0");
      await execute(`alter database ${url.pathname.slice(1)} set default_transaction_read_only = on`);
      const latin = new URL(url);
      latin.pathname = "/latin";
      for (const [at, code, says] of [
        [latin.href, "STORE_UNSUITABLE", "LATIN1"],
        [url.href, "STORE_REFUSED", "read-only"],
      ] as const) {
        const refused = { code, message: expect.stringContaining(says) };
        await expect(openStore({ url: at, clock: systemClock })).rejects.toMatchObject(refused);
        await expect(inspectStore({ url: at, clock: systemClock, running: false })).rejects.toMatchObject({ code });
      }
    } finally {
      await stop();
    }
  }, 60_000);

  it("flushes durable commits also where the server's own default is not to", async () => {
    const { store, dispose, url } = await database.open();
    const level = async (one: Store) =>
      one.write(async (tx) => (await tx.execute({ sql: "show synchronous_commit", parameters: [] }))[0]?.["synchronous_commit"], "durable");
    const name = new URL(url).pathname.slice(1);
    const set = (value: string) =>
      store.write((tx) => tx.execute({ sql: `alter database ${name} set synchronous_commit = ${value}`, parameters: [] }), "durable");
    await set("off");
    const other = await database.open();
    expect(await level(other.store)).toBe("on");
    await set("default");
    await other.dispose();
    await dispose();
  });
});
