import { conversationKey, type OutboundPart, silentLogger } from "@trunkline/plugin-sdk";
import { createGate, createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createRates } from "../delivery/rates.ts";
import { createFakeChannel } from "../fake-channel.ts";
import { DIRECT } from "../fake-message.ts";
import { tempStore } from "../fake-store.ts";
import { until } from "../fake-wait.ts";
import { insertParts, type NewPart, recordReceipt } from "../store/outbox.ts";
import { startEditPreview } from "./edit-preview.ts";
import { fakeTurn } from "./fake-turn.ts";
import type { TurnOutbox } from "./turn-outbox.ts";

const LONG = "An answer that is long enough to be shown.";

async function setUp() {
  const store = await tempStore();
  const clock = createVirtualClock();
  const fake = createFakeChannel({ capabilities: { preview: "edit" } });
  let ids = 0;
  const rowOf = (text: string, over: Partial<NewPart> = {}): NewPart => {
    ids += 1;
    const part: OutboundPart = {
      id: `ob_${ids}`,
      key: `key ${ids}`,
      conversation: DIRECT,
      text: { text, plain: text, length: text.length },
    };
    const base = { conv: conversationKey(DIRECT), seq: 1, part: ids, turn: "tn_1", kind: "final", op: "send", createdAt: 0 } as const;
    return { id: part.id, key: part.key, bodyJson: JSON.stringify(part), ...base, ...over };
  };
  const written: NewPart[] = [];
  const outbox: TurnOutbox = {
    committed: () => 0,
    compose: async () => ({ rows: [] }),
    preview: async (visible) => rowOf(visible, { kind: "preview" }),
    removal: (shown) => rowOf(`removes ${shown.id}`, { kind: "preview", op: "delete" }),
    // Every preview is sent at once, as message 1001, 1002, ...
    async commit(rows: readonly NewPart[]) {
      for (const row of rows) {
        written.push(row);
        const { messageId } = await fake.transport.send(JSON.parse(row.bodyJson) as OutboundPart, new AbortController().signal);
        await store.write(async (tx) => {
          await insertParts(tx, [row]);
          await recordReceipt(tx, { id: row.id, receiptJson: JSON.stringify({ messageId }), sentAt: 0 });
        }, "committed");
      }
    },
  };
  const rates = createRates({ clock, capsOf: () => undefined });
  const deps = { store, clock, rates, logger: silentLogger };
  const preview = startEditPreview(fakeTurn({ channel: fake.plugin }), outbox, fake.transport, deps);
  const shows = async (text: string) => {
    preview.grow(text);
    await until(async () => {
      await clock.advance(100);
      return fake.texts().includes(text);
    }, "it shows");
  };
  return { clock, fake, preview, written, rowOf, shows };
}

const bodyOf = (row: NewPart | undefined) => JSON.parse(row?.bodyJson ?? "{}") as OutboundPart;

describe("a preview by edits", () => {
  it("is replaced by the first part of what comes; the others stay as they are", async () => {
    const { preview, written, rowOf, shows } = await setUp();
    await shows(LONG);
    const rows = [rowOf("one"), rowOf("two")];
    const [first, second] = await preview.resolve(rows, "replaced");
    expect([first?.op, bodyOf(first).replaces, first?.key]).toEqual(["edit", written[0]?.id, rows[0]?.key]);
    expect(second).toBe(rows[1]);
  });

  it("is taken away when nothing comes", async () => {
    const { preview, written, shows } = await setUp();
    await shows(LONG);
    const rows = await preview.resolve([], "replaced");
    expect(rows.map(({ op, bodyJson }) => [op, bodyJson.includes(`removes ${written[0]?.id}`)])).toEqual([["delete", true]]);
  });

  it("gives way to a file or a tool's words once those are out", async () => {
    const { preview, rowOf, shows } = await setUp();
    await shows(LONG);
    const media = [{ kind: "image", path: "/x", fileName: "x.png", mimeType: "image/png" }];
    const file = rowOf("");
    const withFile = { ...file, bodyJson: JSON.stringify({ ...bodyOf(file), media }) };
    expect((await preview.resolve([withFile], "replaced")).map(({ op }) => op)).toEqual(["send", "delete"]);
    await shows(`${LONG} Anew.`);
    expect((await preview.resolve([rowOf("a tool ran")], "aside")).map(({ op }) => op)).toEqual(["send", "delete"]);
  });

  it("begins anew behind a block, with a message of its own", async () => {
    const { fake, preview, rowOf, shows, written } = await setUp();
    await shows(LONG);
    const [block] = await preview.resolve([rowOf("the block")], "replaced");
    expect(bodyOf(block).replaces).toBe(written[0]?.id);
    await shows(`${LONG} Anew.`);
    const [final] = await preview.resolve([rowOf("the end")], "replaced");
    expect(bodyOf(final).replaces).toBe(written[1]?.id);
    expect(fake.attempts).toHaveLength(2);
  });

  it("stays when it is kept, and nothing of it moves any more", async () => {
    const { clock, fake, preview, shows } = await setUp();
    await shows(LONG);
    preview.grow(`${LONG} More.`);
    expect(await preview.resolve([], "kept")).toEqual([]);
    await clock.advance(10_000);
    expect([fake.texts(), fake.changes]).toEqual([[LONG], []]);
    expect(clock.pending()).toEqual([]);
  });

  it("lets an edit on its way arrive before what replaces it", async () => {
    const { clock, fake, preview, rowOf, shows } = await setUp();
    await shows(LONG);
    const gate = createGate();
    fake.nextChange({ gate });
    preview.grow(`${LONG} More.`);
    await until(async () => {
      await clock.advance(100);
      return fake.changes.length === 1;
    }, "an edit is on its way");
    let resolved = false;
    const resolving = preview.resolve([rowOf("the end")], "replaced").then((rows) => {
      resolved = true;
      return rows;
    });
    await clock.advance(1000);
    expect(resolved).toBe(false);
    gate.open();
    expect((await resolving)[0]?.op).toBe("edit");
    expect(fake.texts()).toEqual([`${LONG} More.`]);
  });

  it("costs nothing before an answer has grown for a while", async () => {
    const { clock, fake, preview, rowOf } = await setUp();
    preview.grow(LONG);
    expect(clock.pending()).toEqual([700]);
    const rows = [rowOf("quick")];
    expect(await preview.resolve(rows, "replaced")).toBe(rows);
    expect(clock.pending()).toEqual([]);
    preview.close();
    preview.grow("late");
    expect(clock.pending()).toEqual([]);
    expect(fake.attempts).toEqual([]);
  });

  it("is none where the channel cannot edit", async () => {
    const fake = createFakeChannel();
    const { edit: _edit, ...mute } = fake.transport;
    const { rowOf } = await setUp();
    const preview = startEditPreview(fakeTurn(), {} as TurnOutbox, mute, {} as Parameters<typeof startEditPreview>[3]);
    preview.grow(LONG);
    const rows = [rowOf("whole")];
    expect(await preview.resolve(rows, "replaced")).toBe(rows);
  });
});
