import { join } from "node:path";
import { openStore } from "@trunkline/core";
import { type OutboundPart, type Store, systemClock } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { directMessage, pipelineOn, platform } from "../support/pipeline.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const YAML = `version: 1
channels:
  telegram:
    accounts:
      main: { token: "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", dmPolicy: pairing }
`;
const MINUTE = 60_000;

async function openedStore(): Promise<{ store: Store; url: string }> {
  const url = `sqlite:${join(tempFolder(), "trunkline.db")}`;
  return { store: await openStore({ url, clock: systemClock }), url };
}

describe("a pairing code", () => {
  it("is valid for an hour; afterwards the next message brings another, and its place is free", async () => {
    const clock = createVirtualClock();
    const { store } = await openedStore();
    const telegram = platform();
    const pipeline = await pipelineOn(YAML, store, clock, telegram.transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await store.close();
    });
    for (const sender of ["1", "2", "3"]) await pipeline.receive([directMessage(sender, clock)]);
    await pipeline.receive([directMessage("4", clock)]);
    const before = await pipeline.access.requests();
    expect(before.map(({ sender }) => sender)).toEqual(["1", "2", "3"]);

    await clock.advance(59 * MINUTE);
    await pipeline.receive([directMessage("1", clock), directMessage("4", clock)]);
    await waitUntil(() => telegram.sent.length === 3, "three codes were sent, one each");
    await clock.advance(2 * MINUTE);
    expect(await pipeline.access.requests()).toEqual([]);
    await expect(pipeline.access.approve({ channel: "telegram", code: before[0]!.code })).rejects.toMatchObject({
      code: "ACCESS_CODE_UNKNOWN",
    });

    await pipeline.receive([directMessage("1", clock), directMessage("4", clock)]);
    await waitUntil(() => telegram.sent.length === 5, "both got a code");
    const after = await pipeline.access.requests();
    expect(after.map(({ sender }) => sender).toSorted()).toEqual(["1", "4"]);
    expect(after.find(({ sender }) => sender === "1")?.code).not.toBe(before[0]!.code);
    expect((await pipeline.counts()).messages.dispositions).toEqual({ pairing: 6, denied: 2 });
  });

  it("is eight characters that cannot be mistaken for one another", async () => {
    const clock = createVirtualClock();
    const { store } = await openedStore();
    const pipeline = await pipelineOn(YAML, store, clock, platform().transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await store.close();
    });
    await pipeline.receive([directMessage("1", clock)]);
    expect((await pipeline.access.requests())[0]?.code).toMatch(/^[ABCDEFGHJKLMNPQRSTUVWXYZ2-9]{8}$/);
  });

  it("is not sent for messages that were written long before they arrived", async () => {
    const clock = createVirtualClock();
    const { store } = await openedStore();
    const telegram = platform();
    const pipeline = await pipelineOn(YAML, store, clock, telegram.transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await store.close();
    });
    await pipeline.receive([{ ...directMessage("1", clock, "an old secret"), sentAt: clock.now() - 24 * 60 * MINUTE }]);
    expect((await pipeline.counts()).messages.dispositions).toEqual({ stale: 1 });
    const bodies = await store.read((tx) => tx.execute<{ body_json: string }>({ sql: "select body_json from inbox", parameters: [] }));
    expect(JSON.stringify(bodies)).not.toContain("an old secret");
    expect(telegram.sent).toEqual([]);
  });

  it.each(["before it was sent", "when it had arrived and its receipt was lost"])("survives a crash %s, once", async (when) => {
    const clock = createVirtualClock();
    const { store, url } = await openedStore();
    const telegram = platform();
    telegram.behave = "hang";
    const crashed = await pipelineOn(YAML, store, clock, telegram.transport);
    await crashed.receive([directMessage("1", clock)]);
    await waitUntil(() => telegram.sending === 1, "the code is being sent");
    // The process is gone here: nothing of it runs to its end, and the store is opened by the next one.
    const later = await openStore({ url, clock: systemClock });
    if (when !== "before it was sent") {
      const rows = await later.read((tx) => tx.execute<{ body_json: string }>({ sql: "select body_json from outbox", parameters: [] }));
      telegram.sent.push(JSON.parse(rows[0]!.body_json) as OutboundPart);
    }
    telegram.behave = "arrive";
    const pipeline = await pipelineOn(YAML, later, clock, telegram.transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await later.close();
      await store.close();
    });
    await waitUntil(async () => (await pipeline.counts()).openParts === 0, "nothing is on its way any more");
    expect(telegram.sent).toHaveLength(1);
    expect((await pipeline.access.requests())[0]?.sender).toBe("1");
    await pipeline.receive([directMessage("1", clock, "hello?")]);
    expect((await pipeline.counts()).openParts).toBe(0);
  });
});

describe("an approved sender", () => {
  it("costs no statement to recognise, and is recognised after a restart", async () => {
    const clock = createVirtualClock();
    const { store } = await openedStore();
    const telegram = platform();
    const first = await pipelineOn(YAML, store, clock, telegram.transport);
    await first.receive([directMessage("1", clock)]);
    const [request] = await first.access.requests();
    await first.access.approve({ channel: "telegram", code: request!.code });
    await waitUntil(() => telegram.sent.length === 2, "code and approval were sent");
    await first.stop(0);

    const pipeline = await pipelineOn(YAML, store, clock, telegram.transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await store.close();
    });
    const before = store.stats().statements;
    // A reaction is accepted and ends at once: what is counted is the accept alone.
    await pipeline.receive([{ ...directMessage("1", clock), kind: "reaction", eventId: "e1" }]);
    expect(store.stats().statements - before).toBe(2);
    expect((await pipeline.counts()).messages.dispositions).toEqual({ pairing: 1, context: 1 });
  });
});
