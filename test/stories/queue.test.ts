import type { GatewayConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { callTool, createGate, createScriptedModel, hold, say } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { GROUP } from "../../packages/core/src/fake-message.ts";
import { findInboundById, inboundByIds } from "../../packages/core/src/store/inbox.ts";
import { findTurn } from "../../packages/core/src/store/turns.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type RigOptions, type SpineRig, spineRig } from "./spine-rig.ts";

const bob = { id: "bob", name: "Bob", isBot: false, isSelf: false };
const inTeam = { conversation: GROUP, mentions: { bot: true, others: [] } };

type Queue = Partial<GatewayConfig["messages"]["queue"]>;

const withQueue = (queue: Queue, over: Parameters<typeof fakeConfig>[0] = {}): GatewayConfig =>
  fakeConfig({ ...over, messages: { queue: { mode: "collect", cap: 20, ...queue } } });

/** A rig whose first answer is held: Ann has said "first", and its turn runs until `open`. */
async function busy(queue: Queue, options: Omit<RigOptions, "config" | "model"> & Parameters<typeof fakeConfig>[0] = {}) {
  const model = createScriptedModel();
  const gate = createGate();
  model.next(say("one"), hold(gate));
  const rig = await spineRig({ config: withQueue(queue, options), model, ...options });
  const first = (await rig.hears({ text: "first" })).id;
  await gate.reached;
  return {
    rig,
    model,
    open: gate.open,
    first,
    says: async (text: string, over: Partial<InboundMessage> = {}) => (await rig.hears({ text, ...over })).id,
  };
}

/** Lets time pass until nothing is left to do. */
async function settles(rig: SpineRig): Promise<void> {
  const idle = rig.pipeline.idle().then(() => true);
  for (;;) {
    await rig.clock.advance(250);
    if (await Promise.race([idle, Promise.resolve(false)])) break;
    if (rig.clock.monotonic() > 120_000) throw new Error("it never rests");
  }
  await rig.rests();
}

async function endOf(rig: SpineRig, id: string) {
  const { disposition, decisions } = await rig.explain(id);
  return `${disposition}: ${decisions.at(-1)!.code} (${decisions.at(-1)!.why})`;
}

const promptsOf = ({ requests }: Awaited<ReturnType<typeof busy>>["model"]): readonly string[] =>
  requests.map(({ messages }) => messages.findLast(({ role }) => role === "user")!.text);

describe("messages that come while a turn runs", () => {
  it("are collected into one prompt, in order, each with its sender, and end as merged with what answered them", async () => {
    const { rig, model, open, says } = await busy({});
    const [a, b, c] = [await says("a"), await says("b"), await says("c")];
    open();
    await settles(rig);
    expect(promptsOf(model)).toEqual(["first", '"Ann" says:\na\n\n"Ann" says:\nb\n\n"Ann" says:\nc']);
    expect(rig.fake.texts()).toHaveLength(2);
    expect(await endOf(rig, a)).toMatch(/^replied: answered/);
    for (const id of [b, c]) expect(await endOf(rig, id)).toBe(`merged: merged (it was answered together with ${a})`);
    expect((await rig.explain(b)).decisions).toContainEqual(
      expect.objectContaining({ stage: "queue", code: "collect", path: "messages.queue.mode", at: "trunkline.yaml:7" }),
    );
    const turn = await rig.store.read((tx) => findTurn(tx, a.replace("in_", "tn_")));
    expect(JSON.parse(turn!.inboxIdsJson)).toEqual([a, b, c]);
  });

  it("wait until a second has passed since the last of them", async () => {
    const { rig, model, open, says } = await busy({});
    await says("a");
    await rig.clock.advance(600);
    open();
    await rig.clock.advance(100);
    await says("b");
    await rig.clock.advance(999);
    expect(promptsOf(model)).toEqual(["first"]);
    await rig.clock.advance(1);
    await rig.rests();
    expect(promptsOf(model)[1]).toContain('a\n\n"Ann" says:\nb');
  });

  it("of several people in a group become one prompt that names each", async () => {
    const model = createScriptedModel();
    const gate = createGate();
    model.next(hold(gate), say("one"));
    const rig = await spineRig({ config: withQueue({}, { account: { groups: { team: { allowFrom: ["ann", "bob"] } } } }), model });
    await rig.hears({ ...inTeam, text: "first" });
    await gate.reached;
    await rig.hears({ ...inTeam, text: "mine" });
    await rig.hears({ ...inTeam, text: "and mine", sender: bob });
    gate.open();
    await settles(rig);
    expect(promptsOf(model)[1]).toBe('"Ann" says:\nmine\n\n"Bob" says:\nand mine');
  });

  it("are answered one by one in followup", async () => {
    const { rig, open, says } = await busy({ mode: "followup" });
    for (const text of ["a", "b"]) await says(text);
    open();
    await settles(rig);
    expect(rig.fake.texts()).toEqual(["one", "echo: a", "echo: b"]);
  });

  it("are dropped in drop-new, but for commands, and it says which line did it", async () => {
    const { rig, open, says } = await busy({ mode: "drop-new" });
    const [dropped, command] = [await says("a"), await says("/whoami")];
    open();
    await settles(rig);
    expect(await endOf(rig, dropped)).toMatch(/^dropped: drop-new/);
    expect((await rig.explain(dropped)).decisions.at(-1)).toMatchObject({ path: "messages.queue.mode", at: "trunkline.yaml:7" });
    expect(await endOf(rig, command)).toMatch(/^command/);
    expect(rig.fake.texts()).toHaveLength(2);
  });

  it("stop the running turn in interrupt, which ends as superseded, and are answered with what was said before in mind", async () => {
    const { rig, model, first, says } = await busy({ mode: "interrupt" });
    const next = await says("rather this");
    await settles(rig);
    expect(await endOf(rig, first)).toBe("superseded: superseded (a later message took its place)");
    expect(await endOf(rig, next)).toMatch(/^replied/);
    expect(model.requests.at(-1)!.messages.map(({ text }) => text)).toEqual(expect.arrayContaining(["first", "rather this"]));
    expect(rig.fake.texts().at(-1)).toBe("echo: rather this");
  });

  it("follow the agent's own queue, and what /queue chose over both", async () => {
    const agents = [fakeAgent({ queue: { mode: "drop-new" } })];
    const { rig, open, says } = await busy({ mode: "followup" }, { agents });
    const dropped = await says("a");
    expect((await rig.explain(dropped)).decisions.at(-1)).toMatchObject({ code: "drop-new", path: "agents.list.0.queue.mode" });
    open();
    await settles(rig);
  });

  it("survive a crash, and the same ones are answered together", async () => {
    const folder = tempFolder();
    const { rig, says } = await busy({}, { folder });
    const [a, b] = [await says("a"), await says("b")];
    await rig.stop();
    const model = createScriptedModel();
    const gate = createGate();
    model.next(say("again"));
    model.next(hold(gate), say("both"));
    const second = await spineRig({ config: withQueue({}), folder, model, clock: rig.clock, fake: rig.fake, seed: 2 });
    await second.clock.advance(1000);
    await gate.reached;
    // The turn on both has begun; what comes now belongs to the next one, also after another crash.
    const c = (await second.hears({ text: "c" })).id;
    await second.stop();
    const third = await spineRig({ config: withQueue({}), folder, clock: rig.clock, fake: rig.fake, seed: 3 });
    await settles(third);
    expect(await endOf(third, b)).toContain(`together with ${a}`);
    expect(await endOf(third, c)).toMatch(/^replied/);
    const turn = await third.store.read((tx) => findTurn(tx, a.replace("in_", "tn_")));
    expect([turn!.attempts, JSON.parse(turn!.inboxIdsJson)]).toEqual([2, [a, b]]);
  });

  it("survive the time limit of the turn before them", async () => {
    const { rig, first, says } = await busy({});
    const a = await says("a");
    await rig.clock.advance(10 * 60_000);
    await settles(rig);
    expect(await endOf(rig, first)).toMatch(/^failed/);
    expect(await endOf(rig, a)).toMatch(/^replied/);
  });

  it("end as aborted with /stop, commands and all, and it is answered once", async () => {
    const { rig, first, says } = await busy({});
    const before = [await says("a"), await says("/whoami")];
    const stop = await says("/stop");
    await settles(rig);
    for (const id of [first, ...before]) expect(await endOf(rig, id)).toMatch(/^aborted/);
    expect(await endOf(rig, stop)).toMatch(/^command/);
    expect(rig.fake.texts().filter((text) => text.includes("topped"))).toHaveLength(1);
    await rig.hears({ text: "hello" });
    await settles(rig);
    expect(rig.fake.texts().at(-1)).toBe("echo: hello");
  });

  it("that are answered together are stopped together", async () => {
    const model = createScriptedModel();
    const [one, two] = [createGate(), createGate()];
    model.next(hold(one), say("one"));
    model.next(hold(two), say("two"));
    const rig = await spineRig({ config: withQueue({ debounceMs: 0 }), model });
    await rig.hears({ text: "first" });
    await one.reached;
    const [a, b] = [await rig.hears({ text: "a" }), await rig.hears({ text: "b" })];
    one.open();
    await two.reached;
    await rig.hears({ text: "/stop" });
    await settles(rig);
    for (const { id } of [a, b]) expect(await endOf(rig, id)).toMatch(/^aborted/);
  });
});

describe("why-not", () => {
  const query = { channel: "fake", account: "main", peer: "dm:ann", text: "and now?" };

  it("tells what the queue would do while a turn runs, and which line says so", async () => {
    const { rig, open } = await busy({ mode: "drop-new" });
    const run = await rig.pipeline.dryRun(query);
    expect(run.outcome).toBe("dropped");
    expect(run.decisions.at(-1)).toMatchObject({ stage: "queue", code: "drop-new", path: "messages.queue.mode", at: "trunkline.yaml:7" });
    expect((await rig.pipeline.dryRun({ ...query, text: "/whoami" })).decisions).toContainEqual(
      expect.objectContaining({ stage: "queue", code: "own-turn" }),
    );
    open();
    await settles(rig);
    expect((await rig.pipeline.dryRun(query)).outcome).toBe("replied");
  });

  it("tells how long more is waited for", async () => {
    const rig = await spineRig({ config: fakeConfig({ messages: { queue: { mode: "collect", cap: 20 }, inbound: { debounceMs: 700 } } }) });
    expect((await rig.pipeline.dryRun(query)).decisions).toContainEqual(
      expect.objectContaining({
        stage: "queue",
        code: "debounce",
        why: expect.stringContaining("700 ms") as string,
        path: "messages.inbound.debounceMs",
      }),
    );
  });
});

describe("a message in steer", () => {
  /** A turn whose first model step calls a tool while `gate` holds it. */
  async function working() {
    const model = createScriptedModel();
    const gate = createGate();
    model.next(hold(gate), callTool("now", {}, "c1"));
    const folder = tempFolder();
    const rig = await spineRig({ config: withQueue({ mode: "steer" }), model, folder });
    const first = (await rig.hears({ text: "first" })).id;
    await gate.reached;
    return { rig, model, gate, first, folder };
  }

  it("joins the running turn at its next model step, and ends as merged", async () => {
    const { rig, model, gate, first } = await working();
    const a = await rig.hears({ text: "and this too" });
    gate.open();
    await settles(rig);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]!.messages.slice(-3).map(({ role, text }) => (role === "user" ? text : role))).toEqual([
      "assistant",
      "tool",
      "and this too",
    ]);
    expect(await endOf(rig, a.id)).toBe(`merged: steered (it joined the running turn of ${first})`);
    expect(rig.fake.texts()).toHaveLength(1);
    const turn = await rig.store.read((tx) => findTurn(tx, first.replace("in_", "tn_")));
    expect(JSON.parse(turn!.inboxIdsJson)).toEqual([first, a.id]);
    // It is part of the conversation from now on.
    await rig.hears({ text: "next" });
    await settles(rig);
    expect(model.requests[2]!.messages.map(({ text }) => text)).toContain("and this too");
  });

  it("waits for the next turn when the running one takes no other step", async () => {
    const { rig, model, open, says } = await busy({ mode: "steer" });
    const [a, b] = [await says("a"), await says("b")];
    open();
    await settles(rig);
    expect(promptsOf(model)[1]).toBe('"Ann" says:\na\n\n"Ann" says:\nb');
    expect(await endOf(rig, b)).toContain(`together with ${a}`);
  });

  it("does not overtake a command, nor does what is said behind one", async () => {
    const { rig, model, gate, first } = await working();
    const command = await rig.hears({ text: "/whoami" });
    const behind = await rig.hears({ text: "later" });
    gate.open();
    await settles(rig);
    expect(model.requests[1]!.messages.map(({ text }) => text)).not.toContain("later");
    expect(await endOf(rig, first)).toMatch(/^replied/);
    expect(await endOf(rig, command.id)).toMatch(/^command/);
    expect(await endOf(rig, behind.id)).toMatch(/^replied/);
  });

  it("is heard again at the same step by a turn that a crash cut short", async () => {
    const { rig, model, gate, folder } = await working();
    const held = createGate();
    model.next(hold(held), say("never"));
    const a = await rig.hears({ text: "and this too" });
    gate.open();
    await held.reached;
    await rig.stop();
    const second = createScriptedModel();
    const again = await spineRig({
      config: withQueue({ mode: "steer" }),
      folder,
      model: second,
      clock: rig.clock,
      fake: rig.fake,
      seed: 2,
    });
    await settles(again);
    expect(second.requests).toHaveLength(1);
    expect(second.requests[0]!.messages.slice(-3).map(({ role, text }) => (role === "user" ? text : role))).toEqual([
      "assistant",
      "tool",
      "and this too",
    ]);
    expect(await endOf(again, a.id)).toMatch(/^merged/);
  });
});

describe("too many that wait", () => {
  const crowd = async (queue: Queue) => {
    const { rig, model, open, says } = await busy({ cap: 2, ...queue });
    const ids: string[] = [];
    for (const text of ["a", "b", "c", "d"]) ids.push(await says(text));
    open();
    await settles(rig);
    return { rig, prompt: promptsOf(model)[1]!, ends: await Promise.all(ids.map(async (id) => (await rig.explain(id)).disposition)), ids };
  };

  it("leave the oldest out, and the agent is told of them", async () => {
    const { rig, prompt, ends, ids } = await crowd({});
    expect(ends).toEqual(["dropped", "dropped", "replied", "merged"]);
    expect(prompt).toMatch(/^\(2 messages before this one were left out/);
    expect(prompt).toContain('- "Ann": "a"\n- "Ann": "b"');
    expect(prompt).toMatch(/"Ann" says:\nc\n\n"Ann" says:\nd$/);
    expect((await rig.explain(ids[0]!)).decisions.at(-1)).toMatchObject({ code: "overflow", path: "messages.queue.cap" });
  });

  it.each([
    ["old", ["dropped", "dropped", "replied", "merged"]],
    ["new", ["replied", "merged", "dropped", "dropped"]],
  ] as const)("leave out what the policy %s says, and nobody else is told", async (drop, expected) => {
    const { prompt, ends } = await crowd({ drop });
    expect(ends).toEqual(expected);
    expect(prompt).not.toContain("left out");
  });

  it("are told to a turn that a crash cut short as well", async () => {
    const folder = tempFolder();
    const { rig, model, open, says } = await busy({ cap: 1, debounceMs: 0 }, { folder });
    const held = createGate();
    model.next(hold(held), say("never"));
    const [a] = [await says("a"), await says("b")];
    open();
    await held.reached;
    await rig.stop();
    const second = createScriptedModel();
    const again = await spineRig({ config: withQueue({ cap: 1 }), folder, model: second, clock: rig.clock, fake: rig.fake, seed: 2 });
    await settles(again);
    expect(promptsOf(second)[0]).toMatch(/^\(1 messages before this one were left out/);
    expect((await again.store.read((tx) => inboundByIds(tx, [a!])))[0]).toMatchObject({ disposition: "dropped" });
    expect(await again.store.read((tx) => findInboundById(tx, a!))).toMatchObject({ state: "done" });
  });
});
