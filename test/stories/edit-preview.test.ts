import { GatewayError } from "@trunkline/plugin-sdk";
import { createGate, createScriptedModel, fail, hold, say, type ScriptStep, type VirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel, type FakeChannel } from "../../packages/core/src/fake-channel.ts";
import { waitUntil } from "../support/wait.ts";
import { type RigOptions, type SpineRig, spineRig } from "./spine-rig.ts";

const BEGINNING = "This is the beginning of an answer that takes its time. ";
const END = "And this is its end.";

/** A rig whose channel shows growing answers by edits. */
async function rigWith({ limit = null, ...options }: RigOptions & { limit?: number | null } = {}) {
  const fake = options.fake ?? createFakeChannel({ capabilities: { preview: "edit", edit: true }, limit });
  return spineRig({ ...options, fake });
}

/** Lets virtual time go on, in steps, until something has come about. */
async function inTime(clock: VirtualClock, condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await waitUntil(async () => {
    if (await condition()) return true;
    await clock.advance(100);
    return false;
  }, what);
}

/** An answer that stands still in its middle, with its beginning on the screen. */
async function halfWay(rig: SpineRig, rest: readonly ScriptStep[] = [say(END)], beginning = BEGINNING) {
  const gate = createGate();
  rig.model.next(say(beginning), hold(gate), ...rest);
  const { id } = await rig.hears({ text: "tell me" });
  await gate.reached;
  await inTime(rig.clock, () => rig.fake.texts().length > 0, "the beginning is on the screen");
  return { id, gate };
}

const edits = (fake: FakeChannel) => fake.changes.filter(({ op }) => op === "edit");

describe("a growing answer on a channel that edits", () => {
  it("that comes quickly is one message, and nothing was shown before it", async () => {
    const rig = await rigWith();
    rig.model.next(say(BEGINNING), say(END));
    await rig.hears({ text: "quick" });
    await rig.rests();
    expect(rig.fake.texts()).toEqual([BEGINNING + END]);
    expect(rig.fake.changes).toEqual([]);
  });

  it("shows nothing before 700 ms and 40 characters", async () => {
    const rig = await rigWith();
    const [one, two] = [createGate(), createGate()];
    rig.model.next(say("x".repeat(39)), hold(one), say("y"), hold(two), say("z"));
    await rig.hears({ text: "tell me" });
    await one.reached;
    await rig.clock.advance(5000);
    expect(rig.fake.attempts).toEqual([]);
    one.open();
    await two.reached;
    await inTime(rig.clock, () => rig.fake.texts().length > 0, "it shows");
    expect(rig.fake.texts()).toEqual([`${"x".repeat(39)}y`]);
    two.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual([`${"x".repeat(39)}yz`]);
  });

  it("becomes the answer by an edit: one message, delivered, on record", async () => {
    const rig = await rigWith();
    const { id, gate } = await halfWay(rig);
    expect(rig.fake.texts()).toEqual([BEGINNING.trim()]);
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual([BEGINNING + END]);
    expect(rig.fake.attempts).toHaveLength(1);
    const { delivery, parts } = await rig.explain(id);
    expect(delivery).toBe("delivered");
    expect(parts.map(({ kind, op, state, receipt }) => [kind, op, state, receipt])).toEqual([
      ["preview", "send", "sent", { messageId: "1001" }],
      ["final", "edit", "sent", { messageId: "1001" }],
    ]);
  });

  it("grows by edits, at most one in the channel's own time, the newest text wins", async () => {
    const rig = await rigWith();
    const gates = Array.from({ length: 4 }, createGate);
    rig.model.next(say(BEGINNING), ...gates.flatMap((gate, n) => [hold(gate), say(`${n} `)]));
    await rig.hears({ text: "tell me" });
    await inTime(rig.clock, () => rig.fake.texts().length > 0, "the beginning is on the screen");
    for (const gate of gates.slice(0, 3)) {
      await gate.reached;
      gate.open();
    }
    await gates[3]!.reached;
    await inTime(rig.clock, () => edits(rig.fake).length > 0, "it grows");
    await rig.clock.advance(3000);
    expect(edits(rig.fake).map(({ text }) => text)).toEqual([`${BEGINNING}0 1 2`]);
    gates[3]!.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual([`${BEGINNING}0 1 2 3`]);
  });

  it("that is longer than a message is replaced by its first part, and the others follow", async () => {
    const rig = await rigWith({ limit: 60 });
    const { gate } = await halfWay(rig, [say("more words ".repeat(10))]);
    gate.open();
    await rig.rests();
    const texts = rig.fake.texts();
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join(" ")).toBe(`${BEGINNING}${"more words ".repeat(10).trim()}`);
    expect(rig.fake.attempts).toHaveLength(texts.length);
  });

  it("quotes what the answer quotes", async () => {
    const rig = await rigWith();
    const { gate } = await halfWay(rig, [say(END)], `[[reply_to_current]]${BEGINNING}`);
    gate.open();
    await rig.rests();
    expect(rig.fake.visible.map(({ text, replyToId }) => [text?.plain, replyToId])).toEqual([
      [BEGINNING + END, rig.fake.attempts[0]?.replyToId],
    ]);
    expect(rig.fake.attempts[0]?.replyToId).toBeDefined();
    expect(rig.fake.attempts.map(({ text }) => text?.text).join()).not.toContain("[[");
  });

  it("that decides late what it quotes is sent anew, and only then taken away", async () => {
    const rig = await rigWith();
    const { gate } = await halfWay(rig, [say(`${END} [[reply_to_current]]`)]);
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual([BEGINNING + END]);
    expect(rig.fake.attempts).toHaveLength(2);
    expect(rig.fake.changes.map(({ op }) => op)).toEqual(["remove"]);
  });

  it("that is stopped stays as far as it was visible", async () => {
    const rig = await rigWith();
    const { id } = await halfWay(rig);
    await rig.hears({ text: "/stop" });
    await rig.rests();
    await rig.clock.advance(10_000);
    expect(rig.fake.texts()).toEqual([BEGINNING.trim(), "Stopped."]);
    expect(await rig.explain(id)).toMatchObject({ disposition: "aborted", delivery: "none" });
  });

  it("that breaks off says so below what there is of it", async () => {
    const rig = await rigWith();
    const { gate } = await halfWay(rig, [fail(new GatewayError("MODEL_BAD_REQUEST", { detail: { provider: "script" } }))]);
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual([BEGINNING.trim(), "The answer broke off here: the connection to my language model was lost."]);
    expect(rig.fake.attempts).toHaveLength(2);
  });

  it("is adopted by the next start of the gateway: still one message", async () => {
    const first = await rigWith();
    await halfWay(first);
    await first.stop();
    const { fake, folder, clock } = first;
    const model = createScriptedModel();
    model.next(say(BEGINNING), say(END));
    const second = await spineRig({ fake, folder, clock, model, seed: 2 });
    await second.rests();
    expect(fake.texts()).toEqual([BEGINNING + END]);
    expect(fake.attempts).toHaveLength(1);
  });

  it("grows on after the next start, in the same message", async () => {
    const first = await rigWith();
    await halfWay(first);
    await first.stop();
    const { fake, folder, clock } = first;
    const model = createScriptedModel();
    const gate = createGate();
    model.next(say(`${BEGINNING}again `), hold(gate), say(END));
    const second = await spineRig({ fake, folder, clock, model, seed: 2 });
    await gate.reached;
    await inTime(clock, () => edits(fake).length > 0, "it goes on");
    expect(fake.texts()).toEqual([`${BEGINNING}again`]);
    gate.open();
    await second.rests();
    expect(fake.texts()).toEqual([`${BEGINNING}again ${END}`]);
    expect(fake.attempts).toHaveLength(1);
  });

  it("whose message a person deleted is sent as a new one", async () => {
    const rig = await rigWith();
    const { gate } = await halfWay(rig);
    rig.fake.nextChange({ error: new GatewayError("DELIVERY_EDIT_GONE", { detail: { channel: "fake" } }) });
    gate.open();
    await rig.rests();
    expect(rig.fake.texts().at(-1)).toBe(BEGINNING + END);
    expect(rig.fake.attempts).toHaveLength(2);
  });

  it("that is limited stands still as long as the platform says, and its end comes once", async () => {
    const rig = await rigWith();
    const [one, two] = [createGate(), createGate()];
    rig.model.next(say(BEGINNING), hold(one), say("more "), hold(two), say(END));
    await rig.hears({ text: "tell me" });
    await inTime(rig.clock, () => rig.fake.texts().length > 0, "the beginning is on the screen");
    rig.fake.nextChange({ error: new GatewayError("DELIVERY_RETRY", { detail: { channel: "fake" }, retryAfterMs: 33_000 }) });
    one.open();
    await inTime(rig.clock, () => edits(rig.fake).length === 1, "an edit is refused");
    const refusedAt = rig.clock.now();
    await rig.clock.advance(32_000);
    expect(edits(rig.fake)).toHaveLength(1);
    two.open();
    await rig.pipeline.idle();
    await inTime(rig.clock, async () => (await rig.pipeline.counts()).openParts === 0, "the end is out");
    expect(rig.clock.now() - refusedAt).toBeGreaterThanOrEqual(33_000);
    expect(rig.fake.texts()).toEqual([`${BEGINNING}more ${END}`]);
    expect(rig.fake.attempts).toHaveLength(1);
  });

  it("whose edits are refused again and again makes no further message, and few attempts", async () => {
    const rig = await rigWith();
    const gates = Array.from({ length: 12 }, createGate);
    rig.model.next(say(BEGINNING), ...gates.flatMap((gate, n) => [hold(gate), say(`${n} `)]));
    await rig.hears({ text: "tell me" });
    await inTime(rig.clock, () => rig.fake.texts().length > 0, "the beginning is on the screen");
    const refused = new GatewayError("DELIVERY_REFUSED", { detail: { channel: "fake", reason: "no" } });
    rig.fake.nextChange(...Array.from({ length: 3 }, () => ({ error: refused })));
    for (const [n, gate] of gates.entries()) {
      await gate.reached;
      gate.open();
      if (n < 3) await inTime(rig.clock, () => edits(rig.fake).length > n, "an edit is refused");
      else await rig.clock.advance(1500);
    }
    await rig.rests();
    expect(rig.fake.attempts).toHaveLength(1);
    expect(edits(rig.fake)).toHaveLength(4);
    expect(rig.fake.texts()).toEqual([`${BEGINNING}0 1 2 3 4 5 6 7 8 9 10 11`]);
  });
});
