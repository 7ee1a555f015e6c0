import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { acceptInbound, inboundCounts } from "../../packages/core/src/store/inbox.ts";
import { openStore, type OpenStoreOptions } from "../../packages/core/src/store/open.ts";
import { readPostgresAddress } from "../../packages/core/src/store/postgres-address.ts";
import { PostgresSession } from "../../packages/core/src/store/postgres-session.ts";
import { findTurn, startTurn } from "../../packages/core/src/store/turns.ts";
import { type GatewayError, type Store, type StoreTx, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait.ts";
import { type PostgresServer, startPostgres } from "./databases.ts";
import { type Cut, postgresProxy } from "./postgres-proxy.ts";
import { inbound } from "./samples.ts";

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop(), 60_000);
beforeEach(async () => {
  url = await server.createDatabase();
});

async function opened(options: Partial<OpenStoreOptions> = {}) {
  const store = await openStore({ url, clock: systemClock, ...options });
  onTestFinished(() => store.close());
  return store;
}

const accept = (n: number) => (tx: StoreTx) => acceptInbound(tx, inbound(n));
const start = (n: number) => (tx: StoreTx) =>
  startTurn(tx, { id: `tn_${n}`, sessionKey: "s", owner: "test", inboxIdsJson: "[]", configRev: 1, startedAt: 1 });
const rows = async (store: Store) => (await store.read((tx) => inboundCounts(tx))).accepted;
const query = (sql: string) => (tx: StoreTx) => tx.execute({ sql, parameters: [] });

/** The server processes of the gateway that holds a schema's lock. */
const holders = async (store: Store) =>
  (await store.read(query("select pid from pg_locks where locktype = 'advisory' and granted"))).map((row) => row["pid"] as number);

describe("a COMMIT without an answer", () => {
  it.each([["before-commit"], ["after-commit"], ["half-open"]] as const)(
    "(%s) is found out: the unit is there once, and its writer hears so",
    async (cut: Cut) => {
      const proxy = await postgresProxy(url);
      onTestFinished(() => proxy.close());
      const store = await opened({ url: proxy.url });
      let runs = 0;
      for (const [round, durability] of (["durable", "committed", "durable"] as const).entries()) {
        runs = 0;
        proxy.cutAt(cut);
        const result = await store.write((tx) => {
          runs += 1;
          return accept(round + 1)(tx);
        }, durability);
        expect(result).toMatchObject({ seq: round + 1, duplicate: false, duplicates: 0 });
        // Not run again where it is stored already: the second run would count as a duplicate.
        expect(runs).toBe(cut === "after-commit" ? 1 : 2);
      }
      expect(proxy.cuts).toBe(3);
      expect(await rows(store)).toBe(3);
      expect(await holders(store)).toHaveLength(1);
    },
  );
});

describe("a server that crashed", { timeout: 60_000 }, () => {
  it("has, when it is back, also what it had not flushed", async () => {
    const store = await opened();
    await store.write(accept(1), "durable");
    // The server would flush by itself after a while; these are too quick for that, again and again.
    for (let round = 0; round < 3; round += 1) {
      const told = await store.write(start(round), "committed");
      expect(told).toEqual({ attempts: 1 });
      await store.write(start(round), "lazy");
      await server.end("immediate");
      await server.start();
      await store.write(accept(round + 2), "durable");
      expect(await store.read((tx) => findTurn(tx, `tn_${round}`))).toMatchObject({ attempts: 2 });
    }
    expect(await rows(store)).toBe(4);
  });

  it("ends the gateway when it went back further than that: its memory would be of another database", async () => {
    const ends: GatewayError[] = [];
    const store = await opened({ onEnded: (error) => ends.push(error) });
    await store.write(accept(1), "durable");
    await store.write(accept(2), "durable");
    const [pid] = await holders(store);
    // As a restored backup would have it: an earlier mark.
    const other = await openRaw();
    await other(`update meta set value = split_part(value, ' ', 1) || ' 1' where name = 'writer'`);
    await other(`select pg_terminate_backend(${pid}, 5000)`);
    await expect(store.write(accept(3), "durable")).rejects.toMatchObject({ code: "STORE_CHANGED" });
    expect(ends.map(({ code }) => code)).toEqual(["STORE_CHANGED"]);
    expect(await rows(store)).toBe(2);
  });
});

describe("a second gateway", () => {
  it("is refused with what is known of the first one, and gets in when that is gone", async () => {
    const first = await opened();
    await expect(openStore({ url, clock: systemClock })).rejects.toMatchObject({
      code: "STORE_IN_USE",
      message: expect.stringMatching(/from 127\.0\.0\.1 since \d{4}-\d\d-\d\d .* server process \d+/),
      hint: expect.stringContaining("Stop that one first"),
    });
    // Looking is allowed, and so is another schema.
    await (await openStore({ url, clock: systemClock, readOnly: true })).close();
    await (await openStore({ url, clock: systemClock, schema: "other" })).close();
    await first.close();
    const second = await opened();
    await expect(second.write(accept(1), "durable")).resolves.toMatchObject({ seq: 1 });
  });

  it("that slipped in while the first was cut off ends the first one", async () => {
    const proxy = await postgresProxy(url);
    const ends: GatewayError[] = [];
    const first = await opened({ url: proxy.url, onEnded: (error) => ends.push(error) });
    await first.write(accept(1), "durable");
    await proxy.close();
    await waitUntil(() => first.trouble() !== undefined, "the first one notices");
    expect(first.trouble()).toMatchObject({ code: "STORE_UNREACHABLE" });
    const waiting = first.write(accept(2), "durable").catch((error: GatewayError) => error.code);
    const second = await opened();
    await second.write(accept(3), "durable");
    await proxy.reopen();
    onTestFinished(() => proxy.close());
    expect(await waiting).toBe("STORE_CHANGED");
    expect(ends).toMatchObject([{ code: "STORE_CHANGED" }]);
    await expect(first.write(accept(4), "durable")).rejects.toMatchObject({ code: "STORE_CHANGED" });
    expect(await rows(second)).toBe(2);
  });

  it("cannot slip in by itself: of three that open an empty database at one moment one gets it", async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => opened()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [(outcome.reason as GatewayError).code] : []));
    expect(refusals).toEqual(["STORE_IN_USE", "STORE_IN_USE"]);
  });
});

describe("connections that are cut at any moment", { timeout: 60_000 }, () => {
  it("lose and double no write, and fail no read", async () => {
    const random = seededRandom(11);
    const store = await opened();
    const raw = await openRaw();
    const victims = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
    /** One connection of the gateway, whichever it is: the writer's, or one for reads. */
    const cut = () => raw(`select pg_terminate_backend(pid) from (${victims} order by md5(pid::text || '${random()}') limit 1) as one`);
    const cuts: Promise<number>[] = [];
    for (let wave = 0; wave < 15; wave += 1) {
      const moment = Math.floor(random() * 10);
      const writes = Array.from({ length: 10 }, (_, i) =>
        store.write(
          (tx) => {
            // Not waited for: where the cut strikes, this unit, a later one, the COMMIT or a read, is up to the server.
            if (i === moment && cuts.length === wave) cuts.push(cut());
            return accept(wave * 10 + i + 1)(tx);
          },
          (["durable", "committed", "lazy"] as const)[i % 3]!,
        ),
      );
      const [results] = await Promise.all([Promise.all(writes), rows(store)]);
      expect(results.every(({ duplicate }) => !duplicate)).toBe(true);
      expect(await rows(store)).toBe((wave + 1) * 10);
    }
    expect(await Promise.all(cuts)).toEqual(Array.from({ length: 15 }, () => 1));
    const [counts] = await store.read(
      query("select count(distinct seq) as numbers, max(seq) as newest, sum(duplicates) as twice from inbox"),
    );
    expect({ ...counts }).toEqual({ numbers: 150, newest: 150, twice: 0 });
  });
});

it("a pooler that gives each transaction another session is noticed, and nothing is stored through it", async () => {
  const proxy = await postgresProxy(url);
  onTestFinished(() => proxy.close());
  const ends: GatewayError[] = [];
  const store = await opened({ url: proxy.url, onEnded: (error) => ends.push(error) });
  proxy.disguise((await holders(store))[0]!);
  const refusal = { code: "STORE_UNSUITABLE", hint: expect.stringContaining("session mode") };
  await expect(store.write(accept(1), "durable")).rejects.toMatchObject(refusal);
  expect(ends).toMatchObject([refusal]);
  expect(await rows(store)).toBe(0);
});

describe("a database that is away", () => {
  it("fails nobody for a while; then what waits and what comes is told so, until it is back", async () => {
    const store = await opened();
    await store.write(accept(1), "durable");
    await server.end("fast");
    const waiting = store.write(accept(2), "durable").catch((error: GatewayError) => error.code);
    await waitUntil(() => store.trouble() !== undefined, "the store notices");
    store.giveUp();
    expect(await waiting).toBe("STORE_UNREACHABLE");
    await expect(store.write(accept(3), "durable")).rejects.toMatchObject({ code: "STORE_UNREACHABLE", retryable: true });
    await server.start();
    await waitUntil(() => store.trouble() === undefined, "it is back");
    await expect(store.write(accept(4), "durable")).resolves.toMatchObject({ seq: 2 });
  });
});

/** A connection of somebody else; gives the number of rows. */
async function openRaw(): Promise<(sql: string) => Promise<number>> {
  const session = await PostgresSession.open({ address: readPostgresAddress(url), schema: "trunkline" }, () => {});
  onTestFinished(() => session.end());
  return async (sql) => (await session.simple(sql))[0]!.length;
}
