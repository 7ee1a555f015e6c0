import assert from "node:assert/strict";
import type { Store, StoreTx } from "../store.ts";

/** A store that the contract may fill and close. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Opens the same data again, after `store` was closed. */
  reopen(): Promise<Store>;
  /** Removes the data; the stores may be open or closed. */
  dispose(): Promise<void>;
}

export interface StoreContractOptions {
  /** Registers a test; vitest's `test` and node:test's both fit. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  /** Opens a store on an empty, private place, with the machine's clock. */
  readonly open: () => Promise<StoreUnderTest>;
}

type Item = { readonly id: string; readonly n: number | null; readonly body: string | null };
type Run = (store: Store, subject: StoreUnderTest) => Promise<void>;

/**
 * What every Store promises, whatever database is behind it. Runner-free: it asserts with node:assert and registers its tests
 * through `options.test`.
 */
export function storeContract(options: StoreContractOptions): void {
  const check = (name: string, run: Run): void =>
    options.test(name, async () => {
      const subject = await options.open();
      try {
        await createItems(subject.store);
        await run(subject.store, subject);
      } finally {
        await subject.dispose();
      }
    });
  for (const [name, run] of [...unitTests, ...batchTests, ...valueTests, ...lifeTests]) check(name, run);
}

const unitTests: readonly (readonly [string, Run])[] = [
  [
    "gives the value of a unit after its writes are committed",
    async (store) => {
      const value = await store.write(async (tx) => {
        await add(tx, store, "a", 1);
        return "done";
      }, "durable");
      assert.equal(value, "done");
      assert.deepEqual(await ids(store), ["a"]);
    },
  ],
  [
    "undoes everything of a unit that throws, and rejects with its error",
    async (store) => {
      const refusal = new TypeError("no");
      const failing = store.write(async (tx) => {
        await add(tx, store, "a");
        await add(tx, store, "b");
        throw refusal;
      }, "durable");
      await assert.rejects(failing, (error) => error === refusal);
      assert.deepEqual(await ids(store), []);
    },
  ],
  [
    "undoes a failing unit alone: those before and after it in the same transaction stay",
    async (store) => {
      const commits = store.stats().commits.durable;
      const before = store.write((tx) => add(tx, store, "a"), "durable");
      const failing = store.write(async (tx) => {
        await add(tx, store, "b");
        throw new TypeError("no");
      }, "durable");
      const after = store.write((tx) => add(tx, store, "c"), "durable");
      const outcomes = await Promise.allSettled([before, failing, after]);
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      assert.deepEqual(await ids(store), ["a", "c"]);
      assert.equal(store.stats().commits.durable - commits, 1);
    },
  ],
  [
    "fails a unit whose statement failed, also when it caught the error",
    async (store) => {
      for (const company of [0, 2]) {
        const others = Array.from({ length: company }, (_, i) => store.write((tx) => add(tx, store, `other${i}`), "durable"));
        const swallowing = store.write(async (tx) => {
          await add(tx, store, "a");
          await add(tx, store, "a").catch(() => undefined);
          return "fine";
        }, "durable");
        await assert.rejects(swallowing);
        await Promise.all(others);
      }
      assert.deepEqual(await ids(store), ["other0", "other1"]);
    },
  ],
  [
    "rejects a failing statement with an error of the STORE_ family",
    async (store) => {
      const failing = store.write((tx) => tx.execute({ sql: "insert into no_such_table values (1)", parameters: [] }), "durable");
      await assert.rejects(failing, (error) => String((error as { code?: unknown }).code).startsWith("STORE_"));
      await assert.rejects(store.read((tx) => tx.execute({ sql: "select * from no_such_table", parameters: [] })));
      await store.write((tx) => add(tx, store, "a"), "durable");
      assert.deepEqual(await ids(store), ["a"]);
    },
  ],
  [
    "refuses a statement that comes after the end of its unit",
    async (store) => {
      let leaked: StoreTx | undefined;
      await store.write(async (tx) => {
        leaked = tx;
      }, "durable");
      await assert.rejects(add(leaked!, store, "late"));
      assert.deepEqual(await ids(store), []);
    },
  ],
  [
    "shows a unit nothing of one that failed before it in the same transaction",
    async (store) => {
      const failing = store.write(async (tx) => {
        await add(tx, store, "a", 1);
        await tx.execute({ sql: "update contract_items set n = 2", parameters: [] });
        throw new TypeError("no");
      }, "durable");
      const next = store.write(async (tx) => {
        const seen = await tx.execute<Item>({ sql: "select id from contract_items", parameters: [] });
        await add(tx, store, "a", 3);
        return seen.length;
      }, "durable");
      assert.deepEqual(
        (await Promise.allSettled([failing, next])).map((outcome) => outcome.status),
        ["rejected", "fulfilled"],
      );
      assert.equal(await next, 0);
      assert.deepEqual(
        (await items(store)).map((row) => row.n),
        [3],
      );
    },
  ],
  [
    "keeps what a unit did before a statement failed in it from everybody, also when nobody else came along",
    async (store) => {
      await store.write((tx) => add(tx, store, "a", 1), "durable");
      const failing = store.write(async (tx) => {
        await tx.execute({ sql: "update contract_items set n = 2", parameters: [] });
        await add(tx, store, "a");
      }, "committed");
      await assert.rejects(failing);
      assert.deepEqual(
        (await items(store)).map((row) => row.n),
        [1],
      );
    },
  ],
];

const batchTests: readonly (readonly [string, Run])[] = [
  [
    "runs units in the order in which they came",
    async (store) => {
      const order: number[] = [];
      const writes = Array.from({ length: 600 }, (_, i) =>
        store.write(
          async (tx) => {
            order.push(i);
            await add(tx, store, String(i).padStart(4, "0"), order.length);
          },
          (["durable", "committed", "lazy"] as const)[i % 3]!,
        ),
      );
      await Promise.all(writes);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
      const rows = await items(store);
      assert.deepEqual(
        rows.map((row) => row.n),
        rows.map((_, i) => i + 1),
      );
    },
  ],
  [
    "lets many writers share a commit and loses no update",
    async (store) => {
      await store.write((tx) => add(tx, store, "counter", 0), "durable");
      const before = store.stats();
      const increment = (tx: StoreTx) =>
        tx.execute({
          sql: "update contract_items set n = n + 1 where id = 'counter'",
          parameters: [],
        });
      await Promise.all(Array.from({ length: 500 }, () => store.write(increment, "durable")));
      assert.equal((await items(store))[0]?.n, 500);
      const commits = store.stats().commits.durable - before.commits.durable;
      assert.ok(commits <= 10, `500 units took ${commits} commits`);
      assert.equal(store.stats().queued, 0);
    },
  ],
  [
    "lets a read see committed data only",
    async (store) => {
      let seenInside: string[] = [];
      await store.write(async (tx) => {
        await add(tx, store, "a");
        seenInside = await ids(store);
      }, "durable");
      assert.deepEqual(seenInside, []);
      assert.deepEqual(await ids(store), ["a"]);
    },
  ],
  [
    "lets a unit see its own writes and those of the units before it",
    async (store) => {
      const first = store.write((tx) => add(tx, store, "a"), "committed");
      const second = store.write(async (tx) => {
        await add(tx, store, "b");
        return (
          await tx.execute<Item>({
            sql: "select id from contract_items order by id",
            parameters: [],
          })
        ).map((row) => row.id);
      }, "committed");
      assert.deepEqual((await Promise.all([first, second]))[1], ["a", "b"]);
    },
  ],
  [
    "takes a lazy unit along with the next one, in one commit",
    async (store) => {
      const before = store.stats().commits;
      await Promise.all([store.write((tx) => add(tx, store, "a"), "lazy"), store.write((tx) => add(tx, store, "b"), "durable")]);
      const after = store.stats().commits;
      assert.deepEqual([after.durable - before.durable, after.plain - before.plain], [1, 0]);
      assert.deepEqual(await ids(store), ["a", "b"]);
    },
  ],
  [
    "commits a lazy unit that nobody joins, without a flush",
    async (store) => {
      const before = store.stats().commits;
      await store.write((tx) => add(tx, store, "a"), "lazy");
      const after = store.stats().commits;
      assert.deepEqual([after.durable - before.durable, after.plain - before.plain], [0, 1]);
      assert.deepEqual(await ids(store), ["a"]);
    },
  ],
  [
    "gives each of many writers its own number, in their order and without a gap, though some fail in between",
    async (store) => {
      await store.write((tx) => add(tx, store, "counter", 0), "durable");
      const next = { sql: "update contract_items set n = n + 1 where id = 'counter' returning n", parameters: [] };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 120 }, (_, i) =>
          store.write(
            async (tx) => {
              const [row] = await tx.execute<Item>(next);
              if (i % 7 === 3) throw new TypeError("no");
              return row!.n;
            },
            (["durable", "committed"] as const)[i % 2]!,
          ),
        ),
      );
      const numbers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      assert.deepEqual(
        numbers,
        Array.from({ length: 103 }, (_, i) => i + 1),
      );
    },
  ],
  [
    "flushes a transaction as soon as one unit in it is durable, and no other",
    async (store) => {
      const before = store.stats().commits;
      await Promise.all((["lazy", "committed"] as const).map((durability) => store.write((tx) => add(tx, store, durability), durability)));
      await Promise.all((["lazy", "durable"] as const).map((durability, i) => store.write((tx) => add(tx, store, String(i)), durability)));
      const after = store.stats().commits;
      assert.deepEqual([after.durable - before.durable, after.plain - before.plain], [1, 1]);
    },
  ],
];

const valueTests: readonly (readonly [string, Run])[] = [
  [
    "keeps texts as they are: empty, 1 MB, emoji, every script",
    async (store) => {
      const texts = ["", "x".repeat(1_000_000), "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301", "שלום مرحبا 你好\r\n\t'\"\\%_", "\u2028\u2029\uFEFF\u0001"];
      await store.write(async (tx) => {
        for (const [i, text] of texts.entries()) await add(tx, store, String(i), null, text);
      }, "durable");
      assert.deepEqual(
        (await items(store)).map((row) => row.body),
        texts,
      );
    },
  ],
  [
    "replaces what a database cannot hold, NUL and lone surrogates, and keeps the rest of the text",
    async (store) => {
      await store.write((tx) => add(tx, store, "a", null, "before\0after\0 \ud83d end"), "durable");
      assert.equal((await items(store))[0]?.body, "before\uFFFDafter\uFFFD \uFFFD end");
    },
  ],
  [
    "keeps whole numbers exact up to 2^53 - 1, and null",
    async (store) => {
      const numbers = [0, -1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, null];
      await store.write(async (tx) => {
        for (const [i, n] of numbers.entries()) await add(tx, store, String(i), n);
      }, "durable");
      assert.deepEqual(
        (await items(store)).map((row) => row.n),
        numbers,
      );
      const sum = await store.read((tx) =>
        tx.execute<{ n: number; rows: number }>({
          sql: "select sum(n) as n, count(*) as rows from contract_items where n > 0 and n < 5000000000",
          parameters: [],
        }),
      );
      assert.deepEqual({ ...sum[0] }, { n: 2 ** 31 + 2 ** 32 + 1, rows: 2 });
    },
  ],
  [
    "keeps 256 kB of characters of four bytes, and finds a text by what it was stored under, NUL or not",
    async (store) => {
      const long = "🎼".repeat(64 * 1024);
      await store.write(async (tx) => {
        await add(tx, store, "long", null, long);
        await add(tx, store, "with\0nul", 7);
      }, "durable");
      const sql = `select id, n, body from contract_items where id = ${places(store, 1)}`;
      const found = (id: string) => store.read((tx) => tx.execute<Item>({ sql, parameters: [id] }));
      assert.equal((await found("long"))[0]?.body, long);
      assert.equal((await found("with\0nul"))[0]?.n, 7);
    },
  ],
  [
    "keeps no bytes, many bytes, and text that looks like bytes",
    async (store) => {
      const sql = `insert into contract_blobs (id, bytes) values (${places(store, 2)})`;
      const values = [
        new Uint8Array(),
        Uint8Array.from({ length: 256 * 1024 }, (_, i) => i % 251),
        new TextEncoder().encode("\\x41"),
        null,
      ];
      await store.write(async (tx) => {
        for (const [i, bytes] of values.entries()) await tx.execute({ sql, parameters: [String(i), bytes] });
      }, "durable");
      const rows = await store.read((tx) =>
        tx.execute<{ bytes: Uint8Array | null }>({ sql: "select bytes from contract_blobs order by id", parameters: [] }),
      );
      assert.deepEqual(
        rows.map(({ bytes }) => bytes && Uint8Array.from(bytes)),
        values,
      );
    },
  ],
  [
    "keeps bytes",
    async (store) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const sql = `insert into contract_blobs (id, bytes) values (${places(store, 2)})`;
      await store.write((tx) => tx.execute({ sql, parameters: ["a", bytes] }), "durable");
      const rows = await store.read((tx) =>
        tx.execute<{ bytes: Uint8Array }>({
          sql: "select bytes from contract_blobs",
          parameters: [],
        }),
      );
      assert.deepEqual(Uint8Array.from(rows[0]!.bytes), bytes);
    },
  ],
  [
    "refuses values that no column can hold",
    async (store) => {
      for (const value of [undefined, Number.NaN, Infinity, 2 ** 53, 10n, {}, ["x"], new Date(0)]) {
        const sql = `insert into contract_items (id, n) values (${places(store, 2)})`;
        await assert.rejects(store.write((tx) => tx.execute({ sql, parameters: ["a", value] }), "durable"));
      }
      assert.deepEqual(await ids(store), []);
    },
  ],
];

const lifeTests: readonly (readonly [string, Run])[] = [
  [
    "has everything after a close and a new open",
    async (store, subject) => {
      await store.write((tx) => add(tx, store, "a", 1, "kept"), "lazy");
      await store.close();
      const again = await subject.reopen();
      try {
        assert.deepEqual(
          (await items(again)).map((row) => ({ ...row })),
          [{ id: "a", n: 1, body: "kept" }],
        );
      } finally {
        await again.close();
      }
    },
  ],
  [
    "commits what is queued when it is closed, then refuses both writes and reads",
    async (store, subject) => {
      const queued = (["lazy", "durable", "lazy"] as const).map((durability, i) =>
        store.write((tx) => add(tx, store, String(i)), durability),
      );
      await Promise.all([store.close(), store.close(), ...queued]);
      const unavailable = { code: "STORE_UNAVAILABLE" };
      await assert.rejects(
        store.write((tx) => add(tx, store, "late"), "durable"),
        unavailable,
      );
      await assert.rejects(ids(store), unavailable);
      const again = await subject.reopen();
      try {
        assert.deepEqual(await ids(again), ["0", "1", "2"]);
      } finally {
        await again.close();
      }
    },
  ],
  [
    "counts statements, and commits by what they promised",
    async (store) => {
      const before = store.stats();
      await store.write(async (tx) => {
        await add(tx, store, "a");
        await add(tx, store, "b");
      }, "durable");
      await store.write((tx) => add(tx, store, "c"), "committed");
      const after = store.stats();
      assert.equal(after.statements - before.statements, 3);
      assert.deepEqual([after.commits.durable - before.commits.durable, after.commits.plain - before.commits.plain], [1, 1]);
      assert.ok(after.control > before.control);
    },
  ],
];

async function createItems(store: Store): Promise<void> {
  const [int, blob] = store.dialect === "sqlite" ? ["integer", "blob"] : ["bigint", "bytea"];
  await store.write(async (tx) => {
    await tx.execute({
      sql: `create table contract_items (id text primary key, n ${int}, body text)`,
      parameters: [],
    });
    await tx.execute({
      sql: `create table contract_blobs (id text primary key, bytes ${blob})`,
      parameters: [],
    });
  }, "durable");
}

/** The placeholders of a statement: `?, ?` or `$1, $2`. */
function places(store: Store, count: number): string {
  return Array.from({ length: count }, (_, i) => (store.dialect === "sqlite" ? "?" : `$${i + 1}`)).join(", ");
}

async function add(tx: StoreTx, store: Store, id: string, n: number | null = null, body: string | null = null): Promise<void> {
  await tx.execute({
    sql: `insert into contract_items (id, n, body) values (${places(store, 3)})`,
    parameters: [id, n, body],
  });
}

function items(store: Store): Promise<readonly Item[]> {
  return store.read((tx) => tx.execute<Item>({ sql: "select id, n, body from contract_items order by id", parameters: [] }));
}

async function ids(store: Store): Promise<string[]> {
  return (await items(store)).map((row) => row.id);
}
