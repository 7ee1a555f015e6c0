import { type ErrorCode, GatewayError, type OutboundPart, silentLogger } from "@trunkline/plugin-sdk";
import { createGate, createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFakeChannel, type FakeChannelOptions } from "../fake-channel.ts";
import { GROUP, NEW_YEAR } from "../fake-message.ts";
import { type FaultyStore, faultyStore, tempFolder, tempStore } from "../fake-store.ts";
import { turnOfLoop, until } from "../fake-wait.ts";
import { createHooks } from "../hooks/hooks.ts";
import { findPart, openPartCount, type OutboxRow, partsOfTurn } from "../store/outbox.ts";
import { commitParts, type FakePart } from "./fake-outbox.ts";
import type { Line } from "./line.ts";
import { createDeliveryWorker } from "./worker.ts";

interface Options {
  readonly channel?: FakeChannelOptions;
  readonly onAmbiguous?: Line["onAmbiguous"];
  readonly store?: FaultyStore;
  readonly up?: boolean;
}

async function setUp({ channel = {}, onAmbiguous = "resend", store, up = true }: Options = {}) {
  const clock = createVirtualClock(NEW_YEAR);
  const db = store ?? faultyStore(await tempStore());
  const fake = createFakeChannel(channel);
  const hooks = createHooks(clock, silentLogger);
  const events: string[] = [];
  hooks.observe("delivery:dead", ({ code }) => void events.push(`dead ${code}`));
  const line: Line = { transport: fake.transport, capabilities: fake.plugin.capabilities, onAmbiguous };
  const state = { up };
  const worker = createDeliveryWorker({
    store: db,
    clock,
    logger: silentLogger,
    hooks,
    random: () => 0.5,
    lineOf: () => (state.up ? line : undefined),
    onSent: () => {},
    onRejected: () => {},
  });
  onTestFinished(async () => {
    const closed = worker.close();
    await clock.advance(10_000); // what a test left in flight is cut
    await closed;
  });
  const say = async (...texts: (string | FakePart)[]): Promise<readonly OutboxRow[]> => {
    const rows = await commitParts(
      db,
      texts.map((text) => (typeof text === "string" ? { text, createdAt: clock.now() } : { createdAt: clock.now(), ...text })),
    );
    worker.enqueue(rows);
    return rows;
  };
  const stateOf = async ({ id }: OutboxRow) => db.read(async (tx) => (await findPart(tx, id))?.state);
  const settled = () => until(async () => (await db.read((tx) => openPartCount(tx))) === 0, "every part is settled");
  /** The same while time goes on. */
  const settledInTime = () =>
    until(async () => {
      await clock.advance(100);
      return (await db.read((tx) => openPartCount(tx))) === 0;
    }, "every part is settled");
  return { clock, settledInTime, store: db, fake, worker, say, stateOf, settled, events, line: state };
}

const error = (code: ErrorCode, retryAfterMs?: number) =>
  new GatewayError(code, { detail: { channel: "fake" }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const lost = error("DELIVERY_OUTCOME_UNKNOWN");

describe("the delivery worker", () => {
  it("sends the parts of a conversation one at a time, in order, with a receipt each", async () => {
    const { fake, say, settled, store } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    await say("one", "two", "three");
    await gate.reached;
    await turnOfLoop();
    expect(fake.attempts).toHaveLength(1);
    gate.open();
    await settled();
    expect(fake.texts()).toEqual(["one", "two", "three"]);
    const parts = await store.read((tx) => partsOfTurn(tx, "tn_1"));
    expect(parts.map((part) => [part.state, part.receiptJson, part.sentAt])).toEqual(
      [1001, 1002, 1003].map((id) => ["sent", `{"messageId":"${id}"}`, NEW_YEAR]),
    );
  });

  it("does not let one conversation wait for another", async () => {
    const { fake, say, settled } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    await say("held");
    await gate.reached;
    await say({ text: "quick", conversation: GROUP });
    await until(() => fake.texts().includes("quick"), "the other conversation went on");
    gate.open();
    await settled();
    expect(fake.texts()).toEqual(["quick", "held"]);
  });

  it("sends more parts than it holds in memory, each once and in order", async () => {
    const { fake, say, settled } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    const texts = Array.from({ length: 175 }, (_, n) => `part ${n}`);
    await say(...texts.slice(0, 120));
    await gate.reached;
    await say(...texts.slice(120, 130));
    gate.open();
    await until(() => fake.texts().length > 60, "the queue was read again");
    await say(...texts.slice(130));
    await settled();
    expect(fake.texts()).toEqual(texts);
    expect(fake.attempts).toHaveLength(texts.length);
  });

  it("sends a part once that is in the table when the queue is read and is enqueued after that", async () => {
    const { fake, worker, settled, store } = await setUp();
    const rows = await commitParts(store, [{ text: "one" }, { text: "two" }]);
    await worker.start();
    worker.enqueue(rows);
    await settled();
    worker.enqueue([]);
    await turnOfLoop();
    expect(fake.texts()).toEqual(["one", "two"]);
  });
});

describe("a refusal", () => {
  it("waits as long as the platform says, and keeps what is behind it in line", async () => {
    const { clock, fake, say, stateOf, settled } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY", 7000) });
    const [first] = await say("one", "two");
    await clock.waiting((ms) => ms === 7000);
    expect(await stateOf(first!)).toBe("pending");
    await clock.advance(6999);
    await turnOfLoop();
    expect(fake.attempts).toHaveLength(1);
    await clock.advance(1);
    await settled();
    expect(fake.texts()).toEqual(["one", "two"]);
    expect(fake.attempts).toHaveLength(3);
  });

  it("backs off by itself where the platform says nothing", async () => {
    const { clock, fake, say, settled } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY") }, { error: error("DELIVERY_RETRY") });
    await say("one");
    await clock.waiting((ms) => ms === 375);
    await clock.advance(375);
    await clock.waiting((ms) => ms === 750);
    await clock.advance(750);
    await settled();
    expect(fake.texts()).toEqual(["one"]);
  });

  it("gives up what could not be sent for a day", async () => {
    const { clock, fake, say, stateOf, settled } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY") });
    const [old] = await say({ text: "old", createdAt: clock.now() - 24 * 60 * 60 * 1000 - 1 });
    await settled();
    expect(await stateOf(old!)).toBe("dead");
  });

  it("tries a permanent error once, puts the part aside, and moves on", async () => {
    const { fake, say, stateOf, settled, events, store } = await setUp();
    fake.next({ error: error("DELIVERY_REFUSED") });
    const [bad, good] = await say("bad", "good");
    await settled();
    expect([await stateOf(bad!), await stateOf(good!)]).toEqual(["dead", "sent"]);
    expect(fake.attempts).toHaveLength(2);
    expect((await store.read((tx) => findPart(tx, bad!.id)))?.errorJson).toContain("DELIVERY_REFUSED");
    expect(events).toEqual(["dead DELIVERY_REFUSED"]);
  });

  const bold: Partial<OutboundPart> = { text: { text: "*b*", plain: "b", length: 3 } };

  it("of the formatting is answered with plain text, once, under the same key", async () => {
    const { fake, say, settled } = await setUp();
    fake.next({ error: error("DELIVERY_MARKUP_REFUSED") });
    await say({ text: "", over: bold });
    await settled();
    expect(fake.attempts.map((part) => [part.text?.text, part.key])).toEqual(["*b*", "b"].map((text) => [text, fake.attempts[0]?.key]));
  });

  it("of plain text too is permanent", async () => {
    const { fake, say, settled, events } = await setUp();
    fake.next({ error: error("DELIVERY_MARKUP_REFUSED") }, { error: error("DELIVERY_MARKUP_REFUSED") });
    await say({ text: "", over: bold }, "next");
    await settled();
    expect(fake.attempts).toHaveLength(3);
    expect(fake.texts()).toEqual(["next"]);
    expect(events).toEqual(["dead DELIVERY_MARKUP_REFUSED"]);
  });
});

describe("a part whose outcome is unknown", () => {
  it.each([
    ["GatewayError", lost],
    ["any other exception", new TypeError("socket hang up")],
  ])("is looked for, and not sent again when it is there (%s)", async (_, thrown) => {
    const { fake, say, settled, worker, stateOf } = await setUp();
    fake.next({ error: thrown, effect: true });
    const [one] = await say("one", "two");
    await settled();
    expect(fake.texts()).toEqual(["one", "two"]);
    expect(fake.attempts).toHaveLength(2);
    expect(await stateOf(one!)).toBe("sent");
    expect(worker.counts()).toEqual({ ambiguous: 1, foundSent: 1, foundAbsent: 0, undecidedResent: 0, undecidedHeld: 0 });
  });

  it("is sent again under its key when it is not there, before anything else", async () => {
    const { fake, say, settled, worker } = await setUp();
    fake.next({ error: lost });
    await say("one", "two");
    await settled();
    expect(fake.texts()).toEqual(["one", "two"]);
    expect(fake.attempts[0]?.key).toBe(fake.attempts[1]?.key);
    expect(worker.counts()).toMatchObject({ ambiguous: 1, foundAbsent: 1 });
  });

  it.each([
    ["reconcilable", "resend", ["one", "one", "two"], { undecidedResent: 1 }, 1],
    ["reconcilable", "hold", ["one", "two"], { undecidedHeld: 1 }, 1],
    ["at-least-once", "resend", ["one", "one", "two"], { undecidedResent: 1 }, 0],
    ["at-least-once", "hold", ["one", "two"], { undecidedHeld: 1 }, 0],
    // The same key is the same message there.
    ["idempotent", "hold", ["one", "one", "two"], { foundAbsent: 1 }, 0],
  ] as const)("on a channel that is %s, undecided, with onAmbiguous: %s", async (delivery, onAmbiguous, shown, counts, asked) => {
    const { fake, say, settled, worker, events } = await setUp({ channel: { capabilities: { delivery } }, onAmbiguous });
    fake.next({ error: lost, effect: true });
    fake.nextReconcile({ outcome: "undecided", why: "nobody knows" });
    await say("one", "two");
    await settled();
    expect(fake.texts()).toEqual(shown);
    expect(fake.asked).toHaveLength(asked);
    expect(worker.counts()).toMatchObject({ ambiguous: 1, ...counts });
    expect(events).toEqual("undecidedHeld" in counts ? ["dead DELIVERY_OUTCOME_UNKNOWN"] : []);
  });

  it("is asked about again when the platform cannot be asked now", async () => {
    const { clock, fake, say, settled } = await setUp();
    fake.next({ error: lost, effect: true });
    fake.nextReconcile(error("DELIVERY_RETRY"));
    await say("one");
    await clock.waiting((ms) => ms === 750);
    await clock.advance(750);
    await settled();
    expect(fake.texts()).toEqual(["one"]);
    expect(fake.asked).toHaveLength(2);
  });

  it("is what was being sent when the last gateway ended; what waited behind it is surely not sent", async () => {
    const folder = tempFolder();
    const first = await setUp({ store: faultyStore(await tempStore(folder)) });
    const gate = createGate();
    first.fake.next({ gate });
    const rows = await first.say("one", "two");
    await gate.reached;
    // A second process finds the file as the first one left it; the first never comes back.
    const second = await setUp({ store: faultyStore(await tempStore(folder)) });
    second.fake.nextReconcile({ outcome: "sent", receipt: { messageId: "77" } });
    await second.worker.start();
    await second.settled();
    expect(second.worker.counts()).toMatchObject({ ambiguous: 1, foundSent: 1 });
    expect(second.fake.texts()).toEqual(["two"]);
    expect((await second.store.read((tx) => findPart(tx, rows[0]!.id)))?.receiptJson).toBe('{"messageId":"77"}');
  });
});

describe("an account that is not up", () => {
  it("keeps its parts until it comes up", async () => {
    const { fake, say, line, worker, settled } = await setUp({ up: false });
    await say("one", "two");
    await turnOfLoop();
    expect(fake.attempts).toEqual([]);
    line.up = true;
    worker.wakeAccount("fake", "other");
    await turnOfLoop();
    expect(fake.attempts).toEqual([]);
    worker.wakeAccount("fake", "main");
    await settled();
    expect(fake.texts()).toEqual(["one", "two"]);
  });

  it("whose token is refused in the middle keeps the part, without counting the attempt", async () => {
    const { fake, say, worker, settled, store } = await setUp();
    fake.next({ error: error("CHANNEL_TOKEN_REJECTED") });
    const [one] = await say("one", "two");
    await until(async () => (await store.read((tx) => findPart(tx, one!.id)))?.state === "pending", "the part is back in line");
    expect((await store.read((tx) => findPart(tx, one!.id)))?.attempts).toBe(0);
    await turnOfLoop();
    expect(fake.attempts).toHaveLength(1);
    worker.wakeAccount("fake", "main");
    await settled();
    expect(fake.texts()).toEqual(["one", "two"]);
  });

  it("that never says what became of a send is sent ever more slowly, and a handful of times", async () => {
    const { fake, say, clock, settledInTime, events } = await setUp();
    for (let n = 0; n < 10; n += 1) fake.next({ error: error("DELIVERY_OUTCOME_UNKNOWN") });
    await say("one");
    const before = clock.now();
    await settledInTime();
    expect(clock.now() - before).toBeGreaterThan(5000);
    expect(fake.attempts).toHaveLength(6);
    expect(events).toEqual(["dead DELIVERY_OUTCOME_UNKNOWN"]);
  });

  it("whose token was refused is tried again after a while, should the fault have passed", async () => {
    const { fake, say, clock, settled } = await setUp();
    fake.next({ error: error("CHANNEL_TOKEN_REJECTED") });
    await say("one");
    await clock.waiting((ms) => ms === 60_000);
    await clock.advance(60_000);
    await settled();
    expect(fake.texts()).toEqual(["one"]);
  });

  it("that comes up at any moment while its queue is being parked is not forgotten", async () => {
    for (let hops = 0; hops < 12; hops += 1) {
      const { fake, store, worker, line, settled } = await setUp({ up: false });
      const rows = await commitParts(store, [{ text: "one" }]);
      worker.enqueue(rows);
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
      line.up = true;
      worker.wakeAccount("fake", "main");
      await settled();
      expect(fake.texts(), `${hops} hops`).toEqual(["one"]);
    }
  });
});

describe("cancelling a turn", () => {
  const ofTurn = (text: string, turn: string): FakePart => ({ text, turn });

  it("takes back what waits and lets what is with the platform finish", async () => {
    const { fake, say, worker, settled, stateOf } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    const rows = await say(ofTurn("flying", "tn_a"), ofTurn("waiting", "tn_a"), ofTurn("other", "tn_b"));
    await gate.reached;
    await worker.cancelTurn("tn_a");
    gate.open();
    await settled();
    expect(fake.texts()).toEqual(["flying", "other"]);
    expect(await Promise.all(rows.map(stateOf))).toEqual(["sent", "cancelled", "sent"]);
  });

  it("takes back a part that waits for its next try", async () => {
    const { clock, fake, say, worker, settled, stateOf } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY", 60_000) });
    const rows = await say(ofTurn("limited", "tn_a"), ofTurn("waiting", "tn_a"), ofTurn("other", "tn_b"));
    await clock.waiting((ms) => ms === 60_000);
    await worker.cancelTurn("tn_a");
    await settled();
    expect(fake.texts()).toEqual(["other"]);
    expect(await Promise.all(rows.map(stateOf))).toEqual(["cancelled", "cancelled", "sent"]);
  });

  it("lets a part be looked for to the end", async () => {
    const { fake, say, worker, settled, stateOf } = await setUp();
    const gate = createGate();
    fake.next({ error: lost, effect: true });
    const { reconcile } = fake.transport;
    Object.assign(fake.transport, {
      reconcile: async (...args: Parameters<NonNullable<typeof reconcile>>) => {
        await gate.pass();
        return reconcile!(...args);
      },
    });
    const rows = await say(ofTurn("lost", "tn_a"), ofTurn("waiting", "tn_a"));
    await gate.reached;
    await worker.cancelTurn("tn_a");
    gate.open();
    await settled();
    expect(fake.texts()).toEqual(["lost"]);
    expect(await Promise.all(rows.map(stateOf))).toEqual(["sent", "cancelled"]);
  });

  it("does nothing for a turn that has nothing left", async () => {
    const { fake, say, worker, settled } = await setUp();
    await say(ofTurn("done", "tn_a"));
    await settled();
    await worker.cancelTurn("tn_a");
    await worker.cancelTurn("tn_none");
    expect(fake.texts()).toEqual(["done"]);
  });
});

describe("a store that refuses", () => {
  it("the last receipt: it is offered again, and the part is neither looked for nor sent twice", async () => {
    const { clock, fake, say, store, settled, worker } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    await say("one");
    await gate.reached;
    store.failWrites(1);
    gate.open();
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await settled();
    expect(fake.texts()).toEqual(["one"]);
    expect(worker.counts()).toMatchObject({ ambiguous: 0, foundSent: 0 });
  });

  it("a receipt in the middle: it is offered again, and the part is not sent twice", async () => {
    const { clock, fake, say, store, settled } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    await say("one", "two", "three");
    await gate.reached;
    store.failWrites(1);
    gate.open();
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await settled();
    expect(fake.texts()).toEqual(["one", "two", "three"]);
    expect(fake.attempts).toHaveLength(3);
  });

  it("a receipt while the next part is already on its way: both arrive once, in order", async () => {
    const { fake, say, store, settledInTime } = await setUp();
    const first = createGate();
    const second = createGate();
    fake.next({ gate: first }, { gate: second });
    await say("one");
    await first.reached;
    store.failWrites(1);
    first.open();
    await until(() => fake.texts().length === 1, "the first is out");
    await say("two");
    second.open();
    await settledInTime();
    expect(fake.texts()).toEqual(["one", "two"]);
  });

  it("the mark before a send: the part goes out once, later", async () => {
    const { clock, fake, say, store, settled } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY", 100) });
    await say("one");
    await clock.waiting((ms) => ms === 100);
    store.failWrites(1);
    await clock.advance(100);
    await clock.waiting((ms) => ms === 1000);
    expect(fake.attempts).toHaveLength(1);
    await clock.advance(1000);
    await settled();
    expect(fake.texts()).toEqual(["one"]);
  });

  it("every write for a while: everything arrives once all the same", async () => {
    const { fake, say, store, settledInTime } = await setUp();
    fake.next({}, { error: error("DELIVERY_RETRY", 10) }, { error: lost, effect: true });
    const texts = Array.from({ length: 8 }, (_, n) => `part ${n}`);
    await say(...texts);
    store.failWrites(4, 2);
    await settledInTime();
    expect(fake.texts()).toEqual(texts);
  });
});

describe("closing", () => {
  it("lets a send in flight finish and leaves what waits in the table", async () => {
    const { fake, say, worker, stateOf } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    const rows = await say("one", "two");
    await gate.reached;
    let closed = false;
    const closing = worker.close().then(() => (closed = true));
    await turnOfLoop();
    expect(closed).toBe(false);
    gate.open();
    await closing;
    expect(fake.texts()).toEqual(["one"]);
    expect(await stateOf(rows[0]!)).toBe("sent");
    expect(fake.attempts).toHaveLength(1);
  });

  it("cuts a send that takes too long; its outcome stays unknown", async () => {
    const { clock, fake, say, worker, stateOf } = await setUp();
    const gate = createGate();
    fake.next({ gate });
    const [one] = await say("one");
    await gate.reached;
    const closing = worker.close();
    await clock.advance(10_000);
    await closing;
    expect(await stateOf(one!)).toBe("sending");
  });

  it("does not wait for a part that is backing off or parked", async () => {
    const { clock, fake, say, worker } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY", 60_000) });
    await say("one");
    await clock.waiting((ms) => ms === 60_000);
    await worker.close();
    await say("two");
    expect(fake.texts()).toEqual([]);
  });
});
