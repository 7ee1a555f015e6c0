import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acceptInbound, findInboundById, inboundCounts } from "../../packages/core/src/store/inbox.ts";
import { MIGRATIONS, migrate, type Migration } from "../../packages/core/src/store/migrations.ts";
import { openStore, type OpenStoreOptions } from "../../packages/core/src/store/open.ts";
import { backUp } from "../../packages/core/src/store/sqlite-backup.ts";
import { openSqliteWriter, type SqliteWriter } from "../../packages/core/src/store/sqlite-connection.ts";
import { openSqlite } from "../../packages/core/src/store/sqlite-library.ts";
import { type Clock, type Store, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { inbound } from "./samples.ts";

let root: string;
let path: string;
const stores: Store[] = [];
const open = async (options: Partial<OpenStoreOptions> = {}): Promise<Store> => {
  const store = await openStore({ url: `sqlite:${path}`, clock: systemClock, ...options });
  stores.push(store);
  return store;
};
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "trunkline-sqlite-"));
  path = join(root, "data", "trunkline.db");
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await rm(root, { recursive: true, force: true });
});
const sql = (text: string) => ({ sql: text, parameters: [] });

describe("opening a SQLite store", () => {
  it("makes files that only the owner can read, in a folder of its own", async () => {
    const store = await open();
    await store.write((tx) => acceptInbound(tx, inbound(1)), "durable");
    expect((await stat(join(root, "data"))).mode & 0o777).toBe(0o700);
    const names = await readdir(join(root, "data"));
    expect(names.sort()).toEqual(["trunkline.db", "trunkline.db-shm", "trunkline.db-wal"]);
    for (const name of names) expect((await stat(join(root, "data", name))).mode & 0o777).toBe(0o600);
  });

  it("leaves everything in the one file when it is closed", async () => {
    const store = await open();
    await store.write((tx) => acceptInbound(tx, inbound(1)), "durable");
    await store.close();
    await copyFile(path, join(root, "copy.db"));
    const copy = await open({ url: `sqlite:${join(root, "copy.db")}` });
    expect((await copy.read((tx) => findInboundById(tx, "in_0001")))?.id).toBe("in_0001");
  });

  it("refuses a folder in the place of the file, and a file in the place of the folder", async () => {
    await mkdir(path, { recursive: true });
    await expect(open()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", detail: { path } });
    await writeFile(join(root, "file"), "");
    await expect(open({ url: `sqlite:${join(root, "file", "trunkline.db")}` })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("refuses a file that is no database, and leaves it as it was", async () => {
    await mkdir(join(root, "data"));
    const text = "Dear diary, this is not a database. ".repeat(100);
    await writeFile(path, text);
    await expect(open()).rejects.toMatchObject({ code: "STORE_CORRUPT", detail: { path } });
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("refuses the database of another program, and leaves it as it was", async () => {
    await mkdir(join(root, "data"));
    for (const table of ["create table recipes (name text)", "create table meta (k text)"]) {
      const other = await openSqlite(path, { busyMs: 0 });
      other.exec(table);
      other.close();
      const before = await readFile(path);
      await expect(open()).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        hint: expect.stringContaining("another program"),
      });
      expect((await readFile(path)).length).toBe(before.length);
      await rm(path);
    }
  });

  it("refuses a damaged database", async () => {
    await (await open()).close();
    const bytes = await readFile(path);
    bytes.fill(0x5a, 100, 4096);
    const damaged = join(root, "damaged.db");
    await writeFile(damaged, bytes);
    await expect(open({ url: `sqlite:${damaged}` })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      detail: { path: damaged },
    });
  });

  it("refuses a database of a newer version, with both numbers, for reading too", async () => {
    const store = await open();
    await store.write((tx) => tx.execute(sql("update meta set value = '99' where name = 'schema'")), "durable");
    await store.close();
    const refusal = { code: "STORE_NEWER", detail: { found: 99, known: MIGRATIONS.length } };
    await expect(open()).rejects.toMatchObject(refusal);
    await expect(open({ readOnly: true })).rejects.toMatchObject(refusal);
    expect(await readdir(join(root, "data"))).not.toContain("backups");
  });

  it.each([
    ["NFS", 0x6969],
    ["SMB", 0x517b],
    ["CIFS", 0xff534d42],
    ["SMB2", 0xfe534d42],
  ])("refuses a folder on %s", async (name, type) => {
    await expect(open({ fileSystemType: async () => type })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      hint: expect.stringContaining(name),
    });
  });

  it.each([
    ["a read-only folder", "EROFS", "STORE_UNAVAILABLE"],
    ["a folder without permission", "EACCES", "STORE_UNAVAILABLE"],
    ["a full disk", "ENOSPC", "STORE_FULL"],
  ])("explains %s", async (_what, code, expected) => {
    // Root may write anywhere, so the file system's answer is injected.
    const refuse = async (): Promise<number> => Promise.reject(Object.assign(new Error(code), { code }));
    await expect(open({ fileSystemType: refuse })).rejects.toMatchObject({
      code: expected,
      detail: { path },
    });
  });

  it("refuses an address that is neither SQLite nor PostgreSQL, and does not repeat it", async () => {
    const failure = await open({ url: "mysql://root:hunter2@db/x" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("hunter2");
    await expect(open({ url: "sqlite:" })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("opens for reading only, and then says so to whoever writes", async () => {
    await expect(open({ readOnly: true })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    const writer = await open();
    await writer.write((tx) => acceptInbound(tx, inbound(1)), "durable");
    await writer.close();
    const reader = await open({ readOnly: true });
    expect((await reader.read((tx) => findInboundById(tx, "in_0001")))?.id).toBe("in_0001");
    await expect(reader.write((tx) => acceptInbound(tx, inbound(2)), "durable")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

describe("a disk that is full", () => {
  it("rejects what does not fit with STORE_FULL, takes what fits, and works again when there is space", async () => {
    const store = await open();
    const accept = (n: number, size: number) =>
      store.write((tx) => acceptInbound(tx, inbound(n, { bodyJson: "x".repeat(size) })), "durable");
    await accept(1, 10);
    await store.write(async (tx) => {
      const [pages] = await tx.execute<{ page_count: number }>(sql("pragma page_count"));
      await tx.execute(sql(`pragma max_page_count = ${pages!.page_count + 20}`));
    }, "committed");
    const outcomes = await Promise.allSettled([accept(2, 10), accept(3, 400_000), accept(4, 10)]);
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "stored"))).toEqual([
      "stored",
      "STORE_FULL",
      "stored",
    ]);
    expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: 3 });
    await expect(accept(5, 400_000)).rejects.toMatchObject({
      code: "STORE_FULL",
      retryable: true,
      detail: { path },
    });
    expect(await accept(6, 10)).toMatchObject({ seq: 4 });
    await store.write((tx) => tx.execute(sql("pragma max_page_count = 1000000")), "committed");
    expect(await accept(7, 400_000)).toMatchObject({ seq: 5 });
  });
});

describe("a database that somebody else locks", () => {
  it("waits for the lock, and lets the rest of the process run meanwhile", async () => {
    let pauses = 0;
    let unlock = (): void => {};
    const sleep = async (): Promise<void> => {
      pauses += 1;
      if (pauses === 3) unlock();
    };
    const store = await open({ clock: { ...systemClock, sleep } });
    const holder = await openSqlite(path, { busyMs: 0 });
    holder.exec("begin immediate");
    unlock = () => holder.exec("rollback");
    expect(await store.write((tx) => acceptInbound(tx, inbound(1)), "durable")).toMatchObject({
      seq: 1,
    });
    expect(pauses).toBe(3);
    holder.close();
  });

  it("gives up in bounded time, saying why, and works afterwards", async () => {
    const store = await open({ clock: { ...systemClock, sleep: async () => {} } });
    const other = await openSqlite(path, { busyMs: 0 });
    other.exec("begin immediate");
    const write = store.write((tx) => acceptInbound(tx, inbound(1)), "durable");
    await expect(write).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      retryable: true,
      hint: expect.stringContaining("lock"),
    });
    other.exec("rollback");
    other.close();
    expect(await store.write((tx) => acceptInbound(tx, inbound(1)), "durable")).toMatchObject({
      seq: 1,
    });
  });
});

describe("the flush of a commit", () => {
  it("happens for durable transactions and not for others", async () => {
    const store = await open();
    const level = (durability: "durable" | "committed") =>
      store.write(async (tx) => (await tx.execute(sql("pragma synchronous")))[0]?.["synchronous"], durability);
    expect([await level("committed"), await level("durable"), await level("durable"), await level("committed")]).toEqual([1, 2, 2, 1]);
  });
});

describe("migrations", () => {
  const second: Migration = () => ["create table extra (id text primary key) strict", "insert into extra (id) values ('x')"];

  it("copy an existing database first, three copies deep, readable by the owner only", async () => {
    await (await open()).close();
    const writer = await openSqliteWriter(path, systemClock);
    let now = Date.UTC(2026, 10, 1);
    const clock: Clock = { ...systemClock, now: () => (now += 1_000) };
    const migrations: Migration[] = [...MIGRATIONS];
    for (let i = 0; i < 5; i += 1) {
      migrations.push(() => [`create table extra_${i} (id text primary key) strict`]);
      await migrate(writer, {
        path,
        migrations,
        backUp: (schema) => backUp(writer, path, schema, clock),
      });
    }
    await writer.close();
    const folder = join(root, "data", "backups");
    const names = (await readdir(folder)).sort();
    expect(names).toEqual([
      `trunkline-20261101T000003000Z-schema-${MIGRATIONS.length + 2}.db`,
      `trunkline-20261101T000004000Z-schema-${MIGRATIONS.length + 3}.db`,
      `trunkline-20261101T000005000Z-schema-${MIGRATIONS.length + 4}.db`,
    ]);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    const copy = await openSqlite(join(folder, names[0]!), { busyMs: 0, readOnly: true });
    const tables = copy.prepare("select name from sqlite_master where name like 'extra_%' order by name").all() as { name: string }[];
    copy.close();
    expect(tables.map((table) => table.name)).toEqual(["extra_0", "extra_1"]);
  });

  it("do not touch a database whose copy failed", async () => {
    await (await open()).close();
    const writer = await openSqliteWriter(path, systemClock);
    await writeFile(join(root, "data", "backups"), "in the way");
    const run = migrate(writer, {
      path,
      migrations: [...MIGRATIONS, second],
      backUp: (schema) => backUp(writer, path, schema, systemClock),
    });
    await expect(run).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await writer.close();
    await (await open()).close();
  });

  it("are whole or not there at all", async () => {
    await (await open()).close();
    const writer = await openSqliteWriter(path, systemClock);
    const broken: Migration = () => ["create table half (id text)", "create table ("];
    await expect(migrate(writer, { path, migrations: [...MIGRATIONS, second, broken] })).rejects.toMatchObject({ code: "STORE_FAILED" });
    const names = await writer.execute(sql("select name from sqlite_master where name in ('half', 'extra')"));
    expect(names.map((row) => row["name"])).toEqual(["extra"]);
    await migrate(writer, {
      path,
      migrations: [...MIGRATIONS, second, () => ["create table half (id text)"]],
    });
    await writer.close();
    await expect(open()).rejects.toMatchObject({
      code: "STORE_NEWER",
      detail: { found: MIGRATIONS.length + 2 },
    });
  });

  it("change nothing at the second start, and make no copy", async () => {
    await (await open()).close();
    await (await open()).close();
    expect(await readdir(join(root, "data"))).not.toContain("backups");
  });
});

describe("the checkpoint", () => {
  it("moves the log into the database when nothing was written for a second", async () => {
    let now = 0;
    const timers: { due: number; run: () => void }[] = [];
    const clock: Clock = {
      ...systemClock,
      monotonic: () => now,
      timer: (ms, run) => {
        const timer = { due: now + ms, run };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    };
    const pass = (ms: number): void => {
      now += ms;
      for (const timer of timers.filter((each) => each.due <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
    };
    await mkdir(join(root, "data"));
    const writer: SqliteWriter = await openSqliteWriter(path, clock);
    const commit = async (statement: string): Promise<void> => {
      await writer.begin(false);
      await writer.execute(sql(statement));
      await writer.commit();
    };
    await commit("create table t (a integer)");
    const size = async (): Promise<number> => (await stat(path)).size;
    const before = await size();
    pass(600);
    await commit("insert into t values (1)");
    pass(600);
    expect(await size()).toBe(before);
    pass(400);
    expect(await size()).toBeGreaterThan(before);
    await writer.close();
  });
});
