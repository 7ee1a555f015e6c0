import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findInboundById } from "../../packages/core/src/store/inbox.ts";
import { openPartCount } from "../../packages/core/src/store/outbox.ts";
import { openStore } from "../../packages/core/src/store/open.ts";
import { systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { bundleChild, startChild } from "./child.ts";
import { dropSchema, postgresDatabase, sqliteDatabase } from "./databases.ts";

describe.each([
  ["SQLite", sqliteDatabase, 4],
  ["PostgreSQL", postgresDatabase, 2],
] as const)("kill -9 of a writing process on %s", (_name, start, rounds) => {
  let writer: Awaited<ReturnType<typeof bundleChild>>;
  let database: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    [writer, database] = await Promise.all([bundleChild("writer"), start()]);
  }, 60_000);
  afterAll(async () => {
    await writer?.remove();
    await database?.stop();
  });

  it("loses no message that was acknowledged, and has no half of one", async () => {
    const subject = await database.open();
    // The tables of one gateway after the other: each round starts where the last one was killed.
    const schema = subject.store.dialect === "postgres" ? `trunkline_crash_${process.pid}` : "";
    await subject.store.close();
    let accepted = 0;
    for (let round = 0; round < rounds; round += 1) {
      const child = startChild(writer.path, [subject.url, schema, String(round * 1_000_000 + 1)]);
      await child.printed(20 + round * 37);
      await child.kill();
      const store = await openStore({
        url: subject.url,
        clock: systemClock,
        ...(schema === "" ? {} : { schema }),
      });
      const missing = await store.read(async (tx) => {
        const found = await Promise.all(child.lines.map((id) => findInboundById(tx, id)));
        return child.lines.filter((_, i) => found[i] === undefined);
      });
      expect(missing).toEqual([]);
      const [counts] = await store.read((tx) =>
        tx.execute<{ n: number; numbers: number; newest: number }>({
          sql: "select count(*) as n, count(distinct seq) as numbers, max(seq) as newest from inbox",
          parameters: [],
        }),
      );
      expect(counts!.n).toBeGreaterThanOrEqual(accepted + child.lines.length);
      // A unit is whole or absent: every message has its part and its own number, and no number was given to nobody.
      expect(await store.read((tx) => openPartCount(tx))).toBe(counts!.n);
      expect([counts!.numbers, counts!.newest]).toEqual([counts!.n, counts!.n]);
      accepted = counts!.n;
      await store.close();
    }
    if (schema !== "") await dropSchema(subject.url, schema);
    await subject.dispose();
  }, 60_000);
});
