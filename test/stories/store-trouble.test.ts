import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor } from "@trunkline/plugin-sdk";
import { createTelegramEmulator, say } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeConfig } from "../../packages/core/src/fake-config.ts";
import { openSqlite } from "../../packages/core/src/store/sqlite-library.ts";
import { runCli } from "../../packages/gateway/src/cli/main.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const MB = 1024 * 1024;
const sql = (text: string) => ({ sql: text, parameters: [] });
const run = (rig: SpineRig, text: string) => rig.store.write((tx) => tx.execute(sql(text)), "committed");
const codes = (rig: SpineRig) => rig.pipeline.trouble().map(({ code }) => code);
/** What the platform is told of a message. */
const refusal = (rig: SpineRig, text = "hello") =>
  rig.hears({ text }).then(
    () => "accepted",
    (error: { code: string }) => error.code,
  );
const accepted = async (rig: SpineRig) => (await rig.pipeline.counts()).messages.accepted;

describe("a disk with little room", () => {
  async function little() {
    let free = 900 * MB;
    const config = fakeConfig({ owners: ["fake:main:olga"], store: { diskFloorMb: 1000 } });
    const rig = await spineRig({ config, freeBytes: async () => free });
    return { rig, setFree: (mb: number) => void (free = mb * MB) };
  }

  it("pauses the channels before it is full: nothing is taken in, and everybody is told why", async () => {
    const { rig } = await little();
    expect(codes(rig)).toEqual(["STORE_DISK_LOW"]);
    expect(rig.pipeline.trouble()[0]).toMatchObject({ message: expect.stringMatching(/900 MB .* 1000 MB/), namesPath: false });
    expect(await refusal(rig)).toBe("STORE_DISK_LOW");
    expect(await accepted(rig)).toBe(0);
    await expect(rig.fake.host().receive([])).rejects.toMatchObject({ code: "STORE_DISK_LOW", retryable: true });
    await expect(rig.fake.host().unreadable({ eventId: "1", raw: {}, why: "odd" })).rejects.toMatchObject({ code: "STORE_DISK_LOW" });
    await expect(rig.fake.host().saveMedia(new Blob(["x"]).stream(), "x")).rejects.toMatchObject({ code: "STORE_DISK_LOW" });
    await waitUntil(() => rig.fake.texts().length > 0, "the owner is told by what still works");
    expect(rig.fake.texts()).toEqual([expect.stringContaining("I take no new messages")]);
  });

  it("goes on by itself, and not before there is clearly more room than needed", async () => {
    const { rig, setFree } = await little();
    setFree(1001);
    await rig.clock.advance(5000);
    expect(await refusal(rig)).toBe("STORE_DISK_LOW");
    setFree(1100);
    await rig.clock.advance(5000);
    expect(codes(rig)).toEqual([]);
    rig.model.next(say("Hi."));
    expect(await refusal(rig)).toBe("accepted");
    await rig.rests();
    expect(rig.fake.texts().at(-1)).toBe("Hi.");
  });

  it("lets an answer that is under way finish", async () => {
    let free = 5000 * MB;
    const rig = await spineRig({ freeBytes: async () => free });
    rig.model.next(say("It is done."));
    await rig.hears({ text: "do it" });
    free = 0;
    await rig.clock.advance(5000);
    await rig.rests();
    expect([rig.fake.texts(), codes(rig)]).toEqual([["It is done."], ["STORE_DISK_LOW"]]);
  });

  it("is looked at again when it could not be looked at", async () => {
    let look = async (): Promise<number> => Promise.reject(new RangeError("no such disk"));
    const rig = await spineRig({ freeBytes: () => look() });
    expect(codes(rig)).toEqual([]);
    look = async () => 0;
    await rig.clock.advance(5000);
    expect(codes(rig)).toEqual(["STORE_DISK_LOW"]);
  });
});

describe("100,000 open messages and answers", () => {
  it("are the most: channels wait until there are clearly fewer", async () => {
    const rig = await spineRig();
    await rig.store.write(async (tx) => {
      await tx.execute(
        sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
          insert into outbox (id, conv, seq, part, turn, kind, key, op, state, attempts, next_at, created_at, body_json)
          select 'ob_' || i, 'fake:gone:x', i, 0, null, 'final', 'k' || i, 'send', 'pending', 0, 0, 0, '{}' from n`),
      );
    }, "committed");
    await rig.clock.advance(5000);
    expect(await refusal(rig)).toBe("STORE_BACKLOG");
    expect(rig.pipeline.trouble()[0]?.message).toContain("100000");
    await run(rig, "delete from outbox where cast(substr(id, 4) as integer) <= 1000");
    await rig.clock.advance(5000);
    expect(await refusal(rig)).toBe("STORE_BACKLOG");
    await run(rig, "delete from outbox");
    await rig.clock.advance(5000);
    expect(await refusal(rig)).toBe("accepted");
    await rig.rests();
  });
});

describe("a store that refuses", () => {
  it("because the disk is full takes nothing in, and goes on when there is space", async () => {
    const rig = await spineRig();
    await rig.hears({ text: "one" });
    await rig.rests();
    await rig.store.write(async (tx) => {
      const [pages] = await tx.execute<{ page_count: number }>(sql("pragma page_count"));
      await tx.execute(sql(`pragma max_page_count = ${pages!.page_count}`));
    }, "committed");
    const long = "x".repeat(200_000);
    expect(await refusal(rig, long)).toBe("STORE_FULL");
    expect(codes(rig)).toEqual(["STORE_FULL"]);
    expect(await refusal(rig, "short"), "nothing is tried while it is known").toBe("STORE_FULL");
    expect(await accepted(rig)).toBe(1);
    await run(rig, "pragma max_page_count = 1000000");
    await rig.clock.advance(5000);
    expect(codes(rig)).toEqual([]);
    expect(await refusal(rig, long)).toBe("accepted");
    await rig.rests();
  });

  it("because the disk is read-only says so, again and again, and goes on with what it had", async () => {
    const rig = await spineRig();
    await rig.hears({ text: "kept" });
    await rig.rests();
    await run(rig, "pragma query_only = on");
    expect(await refusal(rig)).toBe("STORE_UNAVAILABLE");
    expect(rig.pipeline.trouble()).toMatchObject([
      { code: "STORE_UNAVAILABLE", hint: expect.stringContaining("writable"), namesPath: true },
    ]);
    await rig.clock.advance(5000);
    expect(codes(rig), "the look by itself finds it as it was").toEqual(["STORE_UNAVAILABLE"]);
    await rig.stop();
    const next = await spineRig({ folder: rig.folder, seed: 2 });
    expect(await refusal(next)).toBe("accepted");
    await next.rests();
    expect(await accepted(next)).toBe(2);
  });

  it("because a page is damaged stays paused, names the copy to restore, and acknowledges nothing", async () => {
    const first = await spineRig();
    await first.hears({ text: "kept" });
    await first.rests();
    await first.stop();
    await damageTable(join(first.folder, "trunkline.db"), "inbox");
    const rig = await spineRig({ folder: first.folder, seed: 2 });
    expect(await refusal(rig)).toBe("STORE_CORRUPT");
    await rig.clock.advance(5000);
    // Which backups there are is read from the disk.
    await waitUntil(() => rig.pipeline.trouble()[0]?.hint.includes(".recover") === true, "the advice");
    expect(rig.pipeline.trouble()).toMatchObject([{ code: "STORE_CORRUPT" }]);
    expect(await refusal(rig)).toBe("STORE_CORRUPT");
    expect(rig.logs()).toContain("channels are paused");
  });
});

describe("a gateway that takes nothing in", () => {
  it("says why at /readyz without a path, in status and in doctor, and Telegram keeps what was written", async () => {
    const emulator = await createTelegramEmulator();
    onTestFinished(() => emulator.close());
    const model = await modelServer();
    const folder = tempFolder();
    let free = 10 * MB;
    const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url });
    const gateway = await gatewayFromYaml(folder, yaml, { freeBytes: async () => free });
    const ready = () => fetch(`${gateway.url}/readyz`);
    const ann = { userId: 42, firstName: "Ann" };
    emulator.send(emulator.privateChat(ann), ann, { text: "hello" });
    await waitUntil(async () => (await gateway.status()).accounts[0]?.state === "backing-off", "the account waits");
    const [status, answer] = [await gateway.status(), await ready()];
    expect(status.trouble).toMatchObject([{ code: "STORE_DISK_LOW", hint: expect.stringContaining("Free some space") }]);
    expect(status.accounts[0]?.lastError).toMatchObject({ code: "STORE_DISK_LOW" });
    expect(status.messages.accepted).toBe(0);
    expect(emulator.pendingUpdates).toBe(1);
    expect(answer.status).toBe(503);
    const body = await answer.text();
    expect(body).toContain("channels are paused: STORE_DISK_LOW: Only 10 MB of the disk are free, and 1024 MB are kept free.");
    expect(body).not.toContain(folder);
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: () => {}, redactor: createRedactor() };
    expect(await runCli(["doctor", "--config", join(folder, "trunkline.yaml"), "--data", join(folder, "data")], io)).toBe(1);
    expect(out.join("\n")).toContain("STORE_DISK_LOW  channels are paused");
    free = 10_000 * MB;
    await waitUntil(async () => (await ready()).status === 200, "there is room again");
    await waitUntil(() => emulator.audit.visibleFromBot().length === 1, "the answer");
  });

  it("finds a damaged page by doctor, with the backup to restore", async () => {
    const rig = await spineRig();
    await rig.hears({ text: "kept" });
    await rig.rests();
    await rig.stop();
    const data = ["--data", rig.folder];
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: () => {}, redactor: createRedactor() };
    await runCli(["store", "backup", ...data], io);
    await damageTable(join(rig.folder, "trunkline.db"), "messages");
    await runCli(["doctor", ...data], io);
    expect(out.join("\n")).toMatch(/STORE_CORRUPT .*\n.*trunkline store restore \S+-manual\.db/);
  });
});

/** Overwrites the first page of a table in a file that nobody has open. */
async function damageTable(path: string, table: string): Promise<void> {
  const database = await openSqlite(path, { busyMs: 0, readOnly: true });
  const [{ rootpage }] = database.prepare(`select rootpage from sqlite_master where name = '${table}'`).all() as [{ rootpage: number }];
  const [{ page_size }] = database.prepare("pragma page_size").all() as [{ page_size: number }];
  database.close();
  const file = await open(path, "r+");
  await file.write(new Uint8Array(page_size).fill(0x5a), 0, page_size, (rootpage - 1) * page_size);
  await file.close();
  expect((await readFile(path)).length).toBeGreaterThan(0);
}
