import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Disposition, silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { NEW_YEAR } from "../fake-message.ts";
import { tempFolder, tempStore } from "../fake-store.ts";
import { createMediaFolder } from "../media/media-folder.ts";
import { acceptInbound, type AcceptRow, findInboundById, inboundCounts } from "../store/inbox.ts";
import { saveMessage } from "../store/messages.ts";
import { insertParts, recordAttempt, recordReceipt } from "../store/outbox.ts";
import { createRetention, SLICE } from "./retention.ts";

const DAY = 24 * 60 * 60 * 1000;
const HOUR = 60 * 60 * 1000;

async function setUp() {
  const folder = tempFolder();
  const store = await tempStore(folder);
  const clock = createVirtualClock(NEW_YEAR);
  const retention = createRetention({ store, media: createMediaFolder(folder), clock, logger: silentLogger });
  retention.open();
  onTestFinished(() => retention.close());
  /** An hour passes, and then second by second as much time as it takes until the expectation is met. */
  const hour = async (expected: () => Promise<void> | void): Promise<void> => {
    await clock.advance(HOUR);
    await vi.waitFor(
      async () => {
        await clock.advance(1000);
        await store.write(async () => {}, "committed"); // takes along what waits for company
        await expected();
      },
      { timeout: 15_000, interval: 5 },
    );
  };
  const accept = (n: number, disposition: Disposition | null, age: number, kept = false) =>
    store.write(async (tx) => {
      const row = rowOf(n, disposition, NEW_YEAR - age);
      await acceptInbound(tx, row);
      if (kept) await saveMessage(tx, { ...MESSAGE, platformId: row.platformId, ref: row.id, at: row.receivedAt });
    }, "durable");
  const ids = async (count: number) => {
    const found = await store.read((tx) => Promise.all(Array.from({ length: count }, (_, n) => findInboundById(tx, idOf(n)))));
    return found.flatMap((row) => (row ? [row.id] : []));
  };
  return { folder, store, clock, hour, accept, ids };
}

const CONV = "fake:main:room";
const MESSAGE = { conv: CONV, direction: "in", author: "ann", text: "hi", replyTo: null } as const;
const idOf = (n: number): string => `in_${String(n).padStart(6, "0")}`;

function rowOf(n: number, disposition: Disposition | null, at: number): AcceptRow {
  return {
    id: idOf(n),
    conv: CONV,
    channel: "fake",
    account: "main",
    conversation: "room",
    thread: "",
    platformId: String(n),
    kind: "message",
    version: "",
    sessionKey: disposition === null ? "s" : null,
    state: disposition === null ? "open" : "done",
    disposition,
    decisionsJson: "[]",
    configRev: 1,
    bodyJson: null,
    receivedAt: at,
    sentAt: at,
  };
}

it("forgets claims after 30 days, and keeps open ones, young ones and what is history", async () => {
  const { store, hour, accept, ids } = await setUp();
  await accept(0, "denied", 31 * DAY);
  await accept(0, "denied", 31 * DAY); // came twice
  await accept(1, null, 31 * DAY);
  await accept(2, "replied", 31 * DAY, true);
  await accept(3, "context", 31 * DAY);
  await accept(4, "denied", 29 * DAY);
  const before = await store.read((tx) => inboundCounts(tx));
  await hour(async () => expect(await ids(5)).toEqual([idOf(1), idOf(2), idOf(4)]));
  expect(await store.read((tx) => inboundCounts(tx)), "the books stay balanced").toEqual(before);
});

it("works through a long table in slices, and a busy store holds it up", async () => {
  const { store, clock, hour, ids } = await setUp();
  const rows = SLICE * 2 + 10;
  await Promise.all(
    Array.from({ length: rows }, (_, n) => store.write((tx) => acceptInbound(tx, rowOf(n, "denied", NEW_YEAR - 31 * DAY)), "lazy")),
  );
  await clock.advance(HOUR);
  for (let second = 0; second < 10; second += 1) {
    await store.write(async () => {}, "durable");
    await clock.advance(1000);
  }
  expect((await ids(rows)).length).toBe(rows);
  await hour(async () => expect(await ids(rows)).toEqual([]));
  expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: rows, dispositions: { denied: rows } });
});

it("deletes files 30 days after they were last taken in or sent, unless a part that is not settled names them", async () => {
  const { folder, store, hour } = await setUp();
  const media = join(folder, "media");
  mkdirSync(media);
  const file = (letter: string, age: number, name = letter.repeat(64)): string => {
    const path = join(media, name);
    writeFileSync(path, letter);
    utimesSync(path, (NEW_YEAR - age) / 1000, (NEW_YEAR - age) / 1000);
    return path;
  };
  file("a", 31 * DAY);
  file("b", 29 * DAY);
  const [dead, pending, sent] = [file("c", 31 * DAY), file("d", 31 * DAY), file("e", 31 * DAY)];
  file("f", 31 * DAY, `.part-${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`);
  file("g", 31 * DAY, "notes.txt");
  await store.write(async (tx) => {
    const parts = [dead, pending, sent].map((path, n) => ({
      id: `ob_${n}`,
      conv: CONV,
      seq: n,
      part: 0,
      turn: null,
      kind: "final",
      key: `k${n}`,
      op: "send" as const,
      bodyJson: JSON.stringify({ media: [{ path }] }),
      createdAt: NEW_YEAR,
    }));
    await insertParts(tx, parts);
    await recordAttempt(tx, { id: "ob_0", state: "dead", attempts: 1, nextAt: 0, errorJson: null });
    await recordReceipt(tx, { id: "ob_2", receiptJson: "{}", sentAt: NEW_YEAR });
  }, "durable");
  await hour(() => expect(readdirSync(media).map((name) => name[0])).toEqual(["b", "c", "d", "n"]));
});

it("ends when the gateway stops, also in the middle of its work", async () => {
  const folder = tempFolder();
  const store = await tempStore(folder);
  const retention = createRetention({ store, media: createMediaFolder(folder), clock: systemClock, logger: silentLogger });
  retention.open();
  await retention.close();
});
