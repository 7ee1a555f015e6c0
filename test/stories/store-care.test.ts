import { existsSync, readdirSync, statSync } from "node:fs";
import { readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acquireInstanceLock, openStore } from "@trunkline/core";
import { createRedactor, type Store, systemClock } from "@trunkline/plugin-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptInbound, inboundCounts } from "../../packages/core/src/store/inbox.ts";
import { openSqlite } from "../../packages/core/src/store/sqlite-library.ts";
import { runCli } from "../../packages/gateway/src/cli/main.ts";
import { inbound } from "../store/samples.ts";
import { gatewayFromYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";

const DEMO = "version: 1\ngateway: { host: 127.0.0.1, port: 0 }\n";

/** A data folder, and the command line beside it. */
function place(folder = tempFolder()) {
  const data = join(folder, "data");
  const path = join(data, "trunkline.db");
  const trunkline = async (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text), redactor: createRedactor() };
    const code = await runCli(["store", ...args, "--data", data], io);
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  const withStore = async <T>(work: (store: Store) => Promise<T>, file = path): Promise<T> => {
    const store = await openStore({ url: `sqlite:${file}`, clock: systemClock });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const accept = (n: number) => withStore((store) => store.write((tx) => acceptInbound(tx, inbound(n)), "durable"));
  const count = (file = path) => withStore((store) => store.read(async (tx) => (await inboundCounts(tx)).accepted), file);
  return { folder, data, path, trunkline, accept, count, withStore };
}

const made = (text: string): string => /Copied to (\S+)/.exec(text)?.[1] ?? "";

describe("trunkline store backup", () => {
  it("copies beside a stopped gateway, readable by the owner alone, and never over a file", async () => {
    const { folder, accept, count, trunkline } = place();
    await accept(1);
    const copy = made((await trunkline("backup")).out);
    expect(copy).toMatch(/backups\/trunkline-\d{8}T\d{9}Z-manual\.db$/);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    await accept(2);
    const chosen = join(folder, "mine.db");
    expect((await trunkline("backup", chosen)).code).toBe(0);
    expect([await count(copy), await count(chosen)]).toEqual([1, 2]);
    expect(await trunkline("backup", chosen)).toMatchObject({ code: 1, err: expect.stringContaining("STORE_BACKUP_EXISTS") });
    expect(await trunkline("backup", join(folder, "no", "such.db"))).toMatchObject({ code: 0 });
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("is made by the running gateway, which goes on", async () => {
    const { folder, count, trunkline } = place();
    const gateway = await gatewayFromYaml(folder, DEMO);
    const copy = made((await trunkline("backup")).out);
    const { code, out } = await trunkline("status");
    expect([code, out]).toEqual([0, expect.stringContaining(copy)]);
    expect((await gateway.status()).trouble).toEqual([]);
    await gateway.stop();
    expect(await count(copy)).toBe(0);
  });

  it("leaves nothing behind, and says why, when the copy does not fit or is damaged", async () => {
    const { folder, path, accept, trunkline } = place();
    await accept(1);
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0x5a, bytes.length / 2));
    const copy = join(folder, "copy.db");
    expect(await trunkline("backup", copy)).toMatchObject({ code: 1, err: expect.stringContaining("STORE_CORRUPT") });
    expect(readdirSync(folder)).not.toContain("copy.db");
    expect(readdirSync(folder)).not.toContain("copy.db.partial");
  });

  it("says what to do where there is no database, or it is PostgreSQL", async () => {
    const { folder, trunkline } = place();
    expect(await trunkline("backup")).toMatchObject({ code: 1, err: expect.stringContaining("STORE_UNAVAILABLE") });
    const file = join(folder, "pg.yaml");
    await writeFile(file, "version: 1\nstore: { url: postgres://u:secret@db.example.org/x }\n");
    const answer = await trunkline("backup", "--config", file);
    expect(answer).toMatchObject({ code: 1, err: expect.stringContaining("pg_dump") });
    expect(answer.err).not.toContain("secret");
  });
});

describe("trunkline store restore", () => {
  it("puts a backup in the place of the database and keeps the replaced one", async () => {
    const { path, accept, count, trunkline } = place();
    await accept(1);
    const copy = made((await trunkline("backup")).out);
    await accept(2);
    await accept(3);
    const { code, out } = await trunkline("restore", copy);
    expect(code).toBe(0);
    const kept = /replaced database is (\S+);/.exec(out)?.[1] ?? "";
    expect([await count(), await count(kept), await count(copy)]).toEqual([1, 3, 1]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.restoring`)).toBe(false);
  });

  it("refuses while a gateway runs, and changes nothing", async () => {
    const { folder, data, accept, count, trunkline } = place();
    await accept(1);
    const copy = made((await trunkline("backup")).out);
    await accept(2);
    const gateway = await gatewayFromYaml(folder, DEMO);
    expect(await trunkline("restore", copy)).toMatchObject({ code: 1, err: expect.stringContaining("STORE_LOCKED") });
    await gateway.stop();
    expect(await count()).toBe(2);
    const lock = await acquireInstanceLock(data);
    onTestFinished(() => lock.release());
    expect(await trunkline("migrate")).toMatchObject({ code: 1, err: expect.stringContaining("STORE_LOCKED") });
  });

  it("puts the database back where it is damaged or gone", async () => {
    const { path, data, accept, count, trunkline } = place();
    await accept(1);
    const copy = made((await trunkline("backup")).out);
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0x5a, 100, 8192));
    await writeFile(`${path}-wal`, "what a crash left");
    const broken = await openStore({ url: `sqlite:${path}`, clock: systemClock }).catch((error: unknown) => error);
    expect(broken).toMatchObject({ code: "STORE_CORRUPT", hint: expect.stringContaining(`trunkline store restore ${copy}`) });
    expect((await trunkline("restore", copy)).code).toBe(0);
    expect(await count()).toBe(1);
    const replaced = readdirSync(data).filter((name) => name.startsWith("trunkline-replaced-"));
    expect(replaced.length, "the damaged file, and what was of its log").toBeGreaterThan(0);
    await rm(path);
    expect((await trunkline("restore", copy)).out).not.toContain("replaced");
    expect(await count()).toBe(1);
  });

  it.each([
    ["a text", async (file: string) => writeFile(file, "Dear diary"), "no SQLite database"],
    ["nothing at all", async () => {}, "no SQLite database"],
    ["a copy without its end", async (file: string) => withoutEnd(file), "its end is missing"],
    ["a damaged copy", async (file: string) => damageEnd(file), "damaged"],
    ["another program's database", async (file: string) => foreign(file), "not a database of Trunkline"],
  ])("refuses %s before it changes anything", async (_what, make, reason) => {
    const { folder, data, accept, count, trunkline } = place();
    await accept(1);
    const file = join(folder, "given.db");
    await make(file);
    const before = existsSync(file) ? await readFile(file) : undefined;
    const answer = await trunkline("restore", file);
    expect(answer).toMatchObject({ code: 1, err: expect.stringContaining("STORE_BACKUP_UNUSABLE") });
    expect(answer.err).toContain(reason);
    expect(await count()).toBe(1);
    expect(readdirSync(data).filter((name) => /replaced|restoring/.test(name))).toEqual([]);
    if (before) expect(before.equals(await readFile(file))).toBe(true);
  });

  it("refuses a backup of a newer version, with both numbers", async () => {
    const { accept, count, withStore, trunkline } = place();
    await accept(1);
    const copy = made((await trunkline("backup")).out);
    await withStore(
      (store) => store.write((tx) => tx.execute({ sql: "update meta set value = '99' where name = 'schema'", parameters: [] }), "durable"),
      copy,
    );
    expect(await trunkline("restore", copy)).toMatchObject({ code: 1, err: expect.stringMatching(/STORE_NEWER.*99/) });
    expect(await count()).toBe(1);
  });
});

describe("trunkline store migrate and status", () => {
  it("say that there is nothing to do, and what is there", async () => {
    const { path, accept, trunkline } = place();
    await accept(1);
    expect(await trunkline("migrate")).toMatchObject({ code: 0, out: expect.stringContaining("Nothing to do") });
    const status = JSON.parse((await trunkline("status", "--json")).out) as Record<string, unknown>;
    expect(status).toMatchObject({ place: path, schema: status["known"], backups: [], size: expect.any(Number) });
    expect((await trunkline("status")).out).toContain("backups  none");
  });
});

/** A valid backup whose last page is overwritten. */
async function damageEnd(file: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${file}`, clock: systemClock });
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => store.write((tx) => acceptInbound(tx, inbound(n, { bodyJson: "x".repeat(2000) })), "lazy")),
  );
  await store.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0x5a, bytes.length / 2));
}

async function withoutEnd(file: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${file}`, clock: systemClock });
  await store.write((tx) => acceptInbound(tx, inbound(1, { bodyJson: "x".repeat(20_000) })), "durable");
  await store.close();
  await truncate(file, (await stat(file)).size - 1);
}

async function foreign(file: string): Promise<void> {
  const other = await openSqlite(file, { busyMs: 0 });
  other.exec("create table recipes (name text)");
  other.close();
}
