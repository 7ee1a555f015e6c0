import { type ErrorCode, GatewayError, type OutboundPart, silentLogger } from "@trunkline/plugin-sdk";
import { createGate, createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFakeChannel, type FakeChannelOptions } from "../fake-channel.ts";
import { GROUP, NEW_YEAR } from "../fake-message.ts";
import { type FaultyStore, faultyStore, tempFolder, tempStore } from "../fake-store.ts";
import { turnOfLoop, until } from "../fake-wait.ts";
import { createHooks } from "../hooks/hooks.ts";
import { findPart, openPartCount, type OutboxRow, partsOfTurn } from "../store/outbox.ts";
import { createDeadLetterDesk } from "./dead-letter-desk.ts";
import { commitParts, type FakePart, newPart } from "./fake-outbox.ts";
import type { Line } from "./line.ts";
import { createRates } from "./rates.ts";
import { createDeliveryWorker } from "./worker.ts";

interface Options {
  readonly channel?: FakeChannelOptions;
  readonly onAmbiguous?: Line["onAmbiguous"];
  readonly store?: FaultyStore;
  readonly up?: boolean;
  /** The words about a dead part; none by default. */
  readonly notice?: string;
}

async function setUp({ channel = {}, onAmbiguous = "resend", store, up = true, notice }: Options = {}) {
  const clock = createVirtualClock(NEW_YEAR);
  const db = store ?? faultyStore(await tempStore());
  const fake = createFakeChannel(channel);
  const hooks = createHooks(clock, silentLogger);
  const events: string[] = [];
  hooks.observe("delivery:dead", ({ code }) => void events.push(`dead ${code}`));
  const line: Line = {
    account: "main",
    identity: undefined,
    transport: fake.transport,
    capabilities: fake.plugin.capabilities,
    onAmbiguous,
  };
  const state = { up };
  const worker = createDeliveryWorker({
    store: db,
    clock,
    logger: silentLogger,
    hooks,
    random: () => 0.5,
    rates: createRates({ clock, capsOf: () => undefined }),
    noticeOf: (row) => (notice === undefined ? [] : [noticePart(notice, row)]),
    wayOut: ({ conversation: { account } }) => (state.up ? { way: "open", line: { ...line, account } } : { way: "down", account }),
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

const noticePart = (text: string, { turn }: OutboxRow) => newPart({ text, turn: turn ?? "tn_none", row: { kind: "undelivered" } });

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
    await until(async () => (await stateOf(rows[1]!)) === "cancelled", "the turn is cancelled");
    // What the platform asked for is asked of the chat, whatever comes next.
    await clock.advance(59_999);
    expect(fake.texts()).toEqual([]);
    await clock.advance(1);
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
    expect(await stateOf(one!)).toBe("ambiguous");
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

describe("a part that cannot be delivered", () => {
  it("is told to the person once for an answer, behind what is left of it", async () => {
    const { fake, say, settled } = await setUp({ notice: "a part is missing" });
    fake.next({ error: error("DELIVERY_REFUSED") }, {}, { error: error("DELIVERY_REFUSED") });
    await say("one", "two", "three", "four");
    await settled();
    await until(() => fake.texts().length >= 4, "all that can be is out");
    // Two parts died; `undeliveredNotice` gives both words one key, this test's own do not.
    expect(fake.texts()).toEqual(["two", "four", "a part is missing", "a part is missing"]);
  });

  it.each(["DELIVERY_NO_ACCESS", "DELIVERY_OUTCOME_UNKNOWN"] as const)(
    "for %s is told to nobody: it would not arrive, or it may not be true",
    async (code) => {
      const { fake, say, settled, events } = await setUp({ notice: "told", onAmbiguous: "hold" });
      fake.nextReconcile({ outcome: "undecided", why: "nobody knows" });
      fake.next({ error: error(code) });
      await say("one", "two");
      await settled();
      expect(fake.texts()).toEqual(["two"]);
      expect(events).toEqual([`dead ${code}`]);
    },
  );

  it.each(["undelivered", "alert", "pairing", "approval", "preview"])("of kind %s raises no words about itself", async (kind) => {
    const { fake, say, settled } = await setUp({ notice: "told" });
    fake.next({ error: error("DELIVERY_REFUSED") });
    await say({ text: "one", row: { kind } });
    await settled();
    expect(fake.attempts).toHaveLength(1);
    expect(fake.texts()).toEqual([]);
  });

  it("goes out by hand, under its key, before what waits and behind what is under way", async () => {
    const { clock, store, fake, say, settled, worker, stateOf } = await setUp();
    fake.next({ error: error("DELIVERY_REFUSED") });
    const [bad] = await say("bad");
    await settled();
    const gate = createGate();
    fake.next({ gate });
    await say("flying", "waiting");
    await gate.reached;
    const desk = createDeadLetterDesk({ store, clock, running: worker });
    expect((await desk.list()).letters.map(({ id, error: { code } }) => [id, code])).toEqual([[bad!.id, "DELIVERY_REFUSED"]]);
    expect(await desk.show(bad!.id)).toMatchObject({ text: "bad", key: bad!.key, attempts: 1 });
    await desk.retry(bad!.id);
    expect(await stateOf(bad!)).toBe("pending");
    gate.open();
    await settled();
    expect(fake.texts()).toEqual(["flying", "bad", "waiting"]);
    expect(fake.attempts.filter(({ key }) => key === bad!.key)).toHaveLength(2);
    expect(await desk.list()).toEqual({ total: 0, letters: [] });
    for (const call of [desk.show, desk.retry, desk.drop])
      await expect(call(bad!.id)).rejects.toMatchObject({ code: "DELIVERY_PART_UNKNOWN" });
  });

  it("is off the list when it is dropped, and is deleted after 30 days when it is not", async () => {
    const { clock, store, fake, say, settled, worker } = await setUp();
    for (let n = 0; n < 3; n += 1) fake.next({ error: error("DELIVERY_REFUSED") });
    const [one, two] = await say("one", "two", "three");
    await settled();
    const desk = createDeadLetterDesk({ store, clock, running: worker });
    expect((await desk.drop(one!.id)).id).toBe(one!.id);
    expect((await desk.list()).total).toBe(2);
    await desk.retry(two!.id);
    await until(async () => (await store.read((tx) => findPart(tx, two!.id)))?.state === "sent", "it is sent");
    await clock.advance(30 * 24 * 60 * 60 * 1000);
    expect(await desk.prune()).toBe(0);
    await clock.advance(1);
    expect(await desk.prune()).toBe(1);
    expect((await desk.list()).total).toBe(0);
  });
});

describe("a part that is too long", () => {
  const long = `${"first half ".repeat(20).trim()}\n\n${"second half ".repeat(20).trim()}`;

  it("is replaced by its halves, in place, under keys of their own; the part itself is never sent again", async () => {
    const { store, fake, say, settled, stateOf } = await setUp();
    fake.next({ error: error("DELIVERY_TOO_LONG") });
    const [whole] = await say(long, "next");
    await settled();
    expect(fake.texts()).toEqual([...long.split("\n\n"), "next"]);
    expect(fake.attempts).toHaveLength(4);
    expect(await stateOf(whole!)).toBe("cancelled");
    const parts = await store.read((tx) => partsOfTurn(tx, "tn_1"));
    expect(parts.map(({ id, state }) => [id, state])).toEqual([
      [whole!.id, "cancelled"],
      [`${whole!.id}.1`, "sent"],
      [`${whole!.id}.2`, "sent"],
      [parts.at(-1)!.id, "sent"],
    ]);
    expect(new Set(parts.map(({ key }) => key)).size).toBe(4);
  });

  it("is cut again while it is, then given up, and its conversation goes on", async () => {
    const { fake, say, settled, events } = await setUp();
    Object.assign(fake.transport, {
      send: async (part: OutboundPart) => {
        if (part.text?.plain !== "next") throw error("DELIVERY_TOO_LONG");
        return { messageId: "1" };
      },
    });
    const [, next] = await say("word ".repeat(200), "next");
    await settled();
    expect(events.length).toBeGreaterThan(1);
    expect(events.length).toBeLessThan(20);
    expect(next).toBeDefined();
  });
});

describe("a part that ends the process", () => {
  /** Starts over on the same file, as after a kill while the part was being sent. */
  async function killedDuringSend(folder: string) {
    const run = await setUp({ store: faultyStore(await tempStore(folder)), notice: "told" });
    const gate = createGate();
    run.fake.next({ gate });
    run.fake.nextReconcile({ outcome: "absent" });
    return { ...run, gate };
  }

  it("three times is put aside unasked, and its conversation goes on", async () => {
    const folder = tempFolder();
    const first = await killedDuringSend(folder);
    const [poison, next] = await first.say("poison", "next");
    await first.gate.reached;
    for (let kill = 1; kill < 3; kill += 1) {
      const again = await killedDuringSend(folder);
      await again.worker.start();
      await again.gate.reached;
      expect((await again.store.read((tx) => findPart(tx, poison!.id)))?.interrupts).toBe(kill);
    }
    const last = await setUp({ store: faultyStore(await tempStore(folder)), notice: "told" });
    await last.worker.start();
    await last.settled();
    expect(last.fake.asked, "it is not even looked for").toEqual([]);
    expect(last.fake.texts()).toEqual(["next", "told"]);
    expect(last.events).toEqual(["dead DELIVERY_POISON"]);
    expect([await last.stateOf(poison!), await last.stateOf(next!)]).toEqual(["dead", "sent"]);
  });
});

describe("a part that replaces a message", () => {
  const previewed = async (options: Options = {}) => {
    const rig = await setUp(options);
    const [preview] = await rig.say({ text: "the answer gr", row: { kind: "preview" } });
    await rig.settled();
    const final = (text: string, op: "edit" | "delete" = "edit"): FakePart => ({
      text,
      over: { replaces: preview!.id },
      row: op === "delete" ? { op, kind: "preview" } : { op },
    });
    return { ...rig, preview: preview!, final };
  };

  it("edits it, and what follows is sent", async () => {
    const { fake, say, settled, final, store, stateOf } = await previewed();
    const rows = await say(final("the answer grown"), "more");
    await settled();
    expect(fake.texts()).toEqual(["the answer grown", "more"]);
    expect(fake.changes).toEqual([{ op: "edit", messageId: "1001", text: "the answer grown" }]);
    expect((await store.read((tx) => findPart(tx, rows[0]!.id)))?.receiptJson).toBe('{"messageId":"1001"}');
    expect(await stateOf(rows[0]!)).toBe("sent");
  });

  it("is a message of its own when the one to edit is gone", async () => {
    const { fake, say, settled, final, store } = await previewed();
    fake.nextChange({ error: error("DELIVERY_EDIT_GONE") });
    const [row] = await say(final("the answer"));
    await settled();
    expect(fake.texts()).toEqual(["the answer gr", "the answer"]);
    expect(await store.read((tx) => findPart(tx, row!.id))).toMatchObject({ op: "send", receiptJson: '{"messageId":"1002"}' });
  });

  it("is a message of its own when the preview was never shown, and is looked for as one", async () => {
    const { clock, fake, say, final, store, stateOf, settled, worker } = await previewed();
    fake.next({ error: error("DELIVERY_RETRY", 100) });
    const [hidden] = await say({ text: "hidden", row: { kind: "preview" } });
    await until(async () => (await stateOf(hidden!)) === "cancelled", "a preview is dropped, not repeated");
    fake.next({ error: lost, effect: true });
    const [row] = await say({ ...final("whole"), over: { replaces: hidden!.id } });
    await clock.advance(100);
    await settled();
    expect(fake.changes).toEqual([]);
    expect(fake.texts()).toEqual(["the answer gr", "whole"]);
    expect(worker.counts()).toMatchObject({ ambiguous: 1, foundSent: 1 });
    expect(await store.read((tx) => findPart(tx, row!.id))).toMatchObject({ op: "send", state: "sent" });
  });

  it("is repeated when its outcome is unknown: that changes nothing", async () => {
    const { fake, say, settledInTime, final, worker } = await previewed();
    fake.nextChange({ error: lost, effect: true });
    await say(final("the answer"));
    await settledInTime();
    expect(fake.texts()).toEqual(["the answer"]);
    expect(fake.changes).toHaveLength(2);
    expect(fake.asked).toEqual([]);
    expect(worker.counts().ambiguous).toBe(0);
  });

  it("makes a preview that waits superfluous", async () => {
    const { fake, store, worker, settled } = await setUp({ up: true });
    const gate = createGate();
    fake.next({ gate });
    const [before] = await commitParts(store, [{ text: "before" }]);
    worker.enqueue([before!]);
    await gate.reached;
    const [preview] = await commitParts(store, [{ text: "gr", row: { kind: "preview" } }]);
    const [final] = await commitParts(store, [{ text: "grown", over: { replaces: preview!.id }, row: { op: "edit" } }]);
    worker.enqueue([preview!, final!]);
    gate.open();
    await settled();
    expect(fake.texts().at(-1)).toBe("grown");
    expect(fake.texts()).not.toContain("gr");
  });

  it("takes it away; one that is gone or was never shown is as good", async () => {
    const { fake, say, settled, final, store } = await previewed();
    const [row] = await say(final("", "delete"));
    await settled();
    expect(fake.texts()).toEqual([]);
    expect((await store.read((tx) => findPart(tx, row!.id)))?.state).toBe("sent");
  });

  it("that is a preview of unknown fate is not shown again", async () => {
    const { fake, say, settled, worker } = await setUp();
    fake.next({ error: lost });
    fake.nextReconcile({ outcome: "undecided", why: "nobody knows" });
    await say({ text: "gr", row: { kind: "preview" } }, "next");
    await settled();
    expect(fake.texts()).toEqual(["next"]);
    expect(worker.counts()).toMatchObject({ ambiguous: 1, undecidedHeld: 1, undecidedResent: 0 });
  });
});

describe("a platform that limits", () => {
  it("one chat does not hold up another; one account does not hold up another", async () => {
    const { clock, fake, say, settled } = await setUp();
    const limited = (scope: string) => new GatewayError("DELIVERY_RETRY", { detail: { channel: "fake", scope }, retryAfterMs: 5000 });
    fake.next({ error: limited("chat") });
    await say("limited");
    await clock.waiting((ms) => ms === 5000);
    await say({ text: "other chat", conversation: GROUP });
    await until(() => fake.texts().includes("other chat"), "the other chat goes on");
    fake.next({ error: limited("account") });
    await say({ text: "all rest", conversation: GROUP });
    await until(() => fake.attempts.length === 3, "the account is limited");
    await say(
      { text: "waits too", conversation: { ...GROUP, id: "another group" } },
      { text: "goes on", conversation: { ...GROUP, account: "second" } },
    );
    await until(() => fake.texts().includes("goes on"), "the other account goes on");
    await turnOfLoop();
    expect(fake.texts()).toEqual(["other chat", "goes on"]);
    await clock.advance(5000);
    await settled();
    expect([...fake.texts()].sort()).toEqual(["all rest", "goes on", "limited", "other chat", "waits too"]);
  });

  it("rests the topics of a chat together", async () => {
    const { clock, fake, say, settled } = await setUp();
    fake.next({ error: error("DELIVERY_RETRY", 5000) });
    await say({ text: "in one topic", conversation: { ...GROUP, threadId: "1" } });
    await clock.waiting((ms) => ms === 5000);
    await say({ text: "in another", conversation: { ...GROUP, threadId: "2" } });
    await turnOfLoop();
    expect(fake.attempts).toHaveLength(1);
    await clock.advance(5000);
    await settled();
    expect(fake.texts()).toHaveLength(2);
  });
});

describe("a look for a lost part", () => {
  it("that the platform refuses for good ends: the conversation goes on", async () => {
    const { fake, say, settled, events } = await setUp();
    fake.next({ error: lost });
    fake.nextReconcile(error("DELIVERY_NO_ACCESS"));
    await say("one", "two");
    await settled();
    expect(fake.texts()).toEqual(["two"]);
    expect(events).toEqual(["dead DELIVERY_OUTCOME_UNKNOWN"]);
  });
});
