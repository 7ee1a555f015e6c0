import { defineCommand, GatewayError } from "@trunkline/plugin-sdk";
import { callTool, createGate, createScriptedModel, end, fail, hang, hold, say, think } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { fakeMessage, GROUP } from "../../packages/core/src/fake-message.ts";
import { waitUntil } from "../support/wait.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const eve = { id: "eve", name: "Eve", isBot: false, isSelf: false };
const bob = { id: "bob", name: "Bob", isBot: false, isSelf: false };
const meant = { mentions: { bot: true, others: [] } };
const inTeam = { conversation: GROUP };
const withTeam = fakeConfig({ account: { groups: { team: { allowFrom: ["ann", "bob"] } } } });

/** Says something and waits for the end of it; gives the outcome and what people saw of it. */
async function told(rig: SpineRig, text: string, over: Parameters<SpineRig["hears"]>[0] = {}) {
  const before = rig.fake.visible.length;
  const { id } = await rig.hears({ text, ...over });
  await rig.rests();
  const { disposition, decisions } = await rig.explain(id);
  return { id, disposition, codes: decisions.map(({ stage, code }) => `${stage}/${code}`), seen: rig.fake.texts().slice(before) };
}

describe("a message", () => {
  it("from a listed person is answered, with every decision on record", async () => {
    const rig = await spineRig();
    const { id, codes, ...outcome } = await told(rig, "hello");
    expect(outcome).toEqual({ disposition: "replied", seen: ["echo: hello"] });
    expect(codes).toEqual(["access/listed", "gate/direct", "route/first-agent", "agent/answered"]);
    const explanation = await rig.explain(id);
    expect(explanation).toMatchObject({
      delivery: "delivered",
      turn: { attempts: 1, model: "script/one" },
      parts: [{ state: "sent", receipt: { messageId: "1001" } }],
    });
    expect(explanation.decisions[0]).toMatchObject({ path: "channels.fake.accounts.main.allowFrom", at: "trunkline.yaml:7" });
    expect(rig.fake.typings()).toBe(1);
    // But for the care of the store, which looks again later.
    expect(rig.clock.pending().filter((ms) => ms < 5000)).toEqual([]);
    expect(rig.pipeline.accounts()).toMatchObject([
      { state: "connected", lastInboundAt: rig.clock.now(), lastOutboundAt: rig.clock.now() },
    ]);
  });

  it("is remembered in the next one, and never logged", async () => {
    const rig = await spineRig();
    await told(rig, "my name is Ann-Kathrin");
    await told(rig, "what is my name?");
    expect(rig.model.requests[1]?.messages.slice(1).map(({ text }) => text)).toEqual([
      "my name is Ann-Kathrin",
      "echo: my name is Ann-Kathrin",
      "what is my name?",
    ]);
    expect(rig.logs()).not.toMatch(/Kathrin|echo/);
  });

  it("costs at most 18 statements and 2 durable commits", async () => {
    const rig = await spineRig();
    await told(rig, "warm up");
    const before = rig.store.stats();
    await rig.hears({ text: "count this" });
    await rig.pipeline.idle();
    await waitUntil(() => rig.fake.texts().length === 2, "the answer is out");
    await waitUntil(() => rig.store.stats().queued === 0, "the receipt is stored");
    const after = rig.store.stats();
    expect(after.statements - before.statements).toBeLessThanOrEqual(18);
    expect(after.commits.durable - before.commits.durable).toBeLessThanOrEqual(2);
    await rig.rests();
  });

  it("from a stranger is denied in silence, and its words are stored nowhere", async () => {
    const rig = await spineRig();
    const words = "Xylophon-Geheimnis-4711";
    const outcome = await told(rig, words, {
      sender: { ...eve, name: "Eve Zauberstab", username: "zauberstab" },
      media: [{ kind: "image", url: "channel:x", fileName: "geheim.png" }],
    });
    expect(outcome).toMatchObject({ disposition: "denied", codes: ["access/not-listed"], seen: [] });
    expect(rig.model.requests).toEqual([]);
    expect(rig.fake.typings()).toBe(0);
    await told(rig, "and this Jabberwock is stored");
    expect(rig.logs()).not.toMatch(/Xylophon|Jabberwock/);
    expect(await rig.databaseBytes()).toContain("Jabberwock");
    expect(await rig.databaseBytes()).toContain(outcome.id);
    await rig.stop();
    expect(await rig.databaseBytes()).not.toMatch(/Xylophon|Zauberstab|zauberstab|geheim/);
  });

  it("that nobody addressed to the bot stays unanswered in a group, and one that did is answered", async () => {
    const rig = await spineRig({ config: withTeam });
    expect(await told(rig, "just talking", inTeam)).toMatchObject({ disposition: "not-mentioned", seen: [] });
    expect(rig.model.requests).toEqual([]);
    expect(await told(rig, "@bot and you?", { ...inTeam, ...meant })).toMatchObject({
      disposition: "replied",
      seen: ['echo: (Before this message, and not to you:)\n\n"Ann" says:\njust talking\n\n(And this is to you:)\n\n"Ann" says:\nand you?'],
    });
    expect(rig.fake.visible[0]?.conversation).toEqual(GROUP);
  });

  it("that comes twice is answered once, and the second gets the first one's receipt", async () => {
    const rig = await spineRig();
    const message = fakeMessage({ text: "once" });
    const [[first], [second]] = await Promise.all([rig.pipeline.receive([message]), rig.pipeline.receive([message])]);
    await rig.rests();
    const [third] = await rig.pipeline.receive([message]);
    await rig.rests();
    expect([first?.duplicate, second?.duplicate, third?.duplicate]).toEqual([false, true, true]);
    expect(new Set([first?.id, second?.id, third?.id]).size).toBe(1);
    expect(rig.fake.texts()).toEqual(["echo: once"]);
    expect((await rig.explain(first!.id)).duplicates).toBe(2);
    expect((await rig.pipeline.counts()).messages).toMatchObject({ accepted: 1, duplicates: 2 });
  });

  it("waits for the one before it in its conversation, and not for other people's", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { allowFrom: ["ann", "bob"] } }) });
    const gate = createGate();
    rig.model.next(hold(gate), say("first"));
    await rig.hears({ text: "1" });
    await gate.reached;
    await rig.hears({ text: "2" });
    await rig.hears({ text: "3" });
    await rig.hears({ text: "b", sender: bob, conversation: { ...fakeMessage().conversation, id: "bob" } });
    await waitUntil(() => rig.fake.texts().length === 1, "the other person is answered");
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["echo: b", "first", "echo: 2", "echo: 3"]);
  });

  it("that a hook drops, that is stale, empty, an edit, or unreadable, is counted and not answered", async () => {
    const rig = await spineRig();
    const undo = rig.hooks.filter("inbound:before", ({ text, ...rest }) => (text === "Vorhang-Wort" ? null : { ...rest, text }));
    expect(await told(rig, "Vorhang-Wort")).toMatchObject({ disposition: "dropped", seen: [] });
    undo();
    expect(await told(rig, "late", { sentAt: rig.clock.now() - 7 * 60 * 60 * 1000 })).toMatchObject({ disposition: "stale", seen: [] });
    expect(await told(rig, "  ")).toMatchObject({ disposition: "ignored", seen: [] });
    expect(await told(rig, "typo", { kind: "edit", eventId: "1" })).toMatchObject({ disposition: "context", seen: [] });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    await rig.fake.host().unreadable({ eventId: "e1", raw: { strange: true }, why: "no chat in it" });
    await rig.fake.host().unreadable({ eventId: "e2", raw: circle, why: "no chat in it" });
    expect((await rig.fake.host().unreadable({ eventId: "e1", raw: {}, why: "again" })).duplicate).toBe(true);
    await rig.rests();
    expect((await rig.pipeline.counts()).messages.dispositions).toEqual({ dropped: 1, stale: 1, ignored: 1, context: 1, unreadable: 2 });
    expect(await rig.databaseBytes()).not.toContain("Vorhang-Wort");
    expect(rig.model.requests).toEqual([]);
  });

  it("whose agent or account has gone from the configuration is ended, not lost", async () => {
    const rig = await spineRig();
    const gate = createGate();
    rig.model.next(hold(gate));
    await rig.hears({ text: "runs" });
    await gate.reached;
    const { id } = await rig.hears({ text: "waits" });
    rig.config.replace(fakeConfig({ agents: [fakeAgent({ id: "other" })] }));
    gate.open();
    await rig.rests();
    expect(await rig.explain(id)).toMatchObject({
      disposition: "dropped",
      turn: null,
      decisions: [{}, {}, {}, { stage: "queue" }, { stage: "turn", code: "gone", path: "agents.list" }],
    });
    rig.config.replace(fakeConfig({ channels: {} }));
    expect(await told(rig, "nobody home")).toMatchObject({ disposition: "denied", codes: ["access/unknown-account"] });
  });
});

describe("commands", () => {
  it("/help lists what this person may use, without asking a model", async () => {
    const rig = await spineRig({
      commands: [defineCommand({ name: "secret", help: "For owners.", access: "owner", run: async () => ({ text: "!" }) })],
    });
    const { disposition, seen } = await told(rig, "/help");
    expect(disposition).toBe("command");
    for (const name of ["/help", "/status", "/new [text]", "/stop", "/whoami"]) expect(seen[0]).toContain(name);
    expect(seen[0]).not.toContain("secret");
    expect(rig.model.requests).toEqual([]);
  });

  it("/status tells agent, model, channel and session", async () => {
    const rig = await spineRig();
    await told(rig, "hello");
    const { seen } = await told(rig, "/status");
    for (const fact of ["Aria", "script/one", "low", "Fake (main)", "2 messages since 2026-01-01 00:00 UTC"])
      expect(seen[0]).toContain(fact);
  });

  it("/new starts afresh, alone or with a first message; the old talk stays in the store", async () => {
    const rig = await spineRig();
    await told(rig, "remember Rumpelstilzchen");
    expect(await told(rig, "/new")).toMatchObject({ disposition: "command", seen: ["Fresh start. What is on your mind?"] });
    await told(rig, "who?");
    expect(rig.model.requests[1]?.messages.slice(1).map(({ text }) => text)).toEqual(["who?"]);
    expect(await told(rig, "/new Tell me More")).toMatchObject({ disposition: "replied", seen: ["echo: Tell me More"] });
    expect(rig.model.requests[2]?.messages).toHaveLength(2);
    expect(await rig.databaseBytes()).toContain("Rumpelstilzchen");
  });

  it("are refused to people who may only talk: once an hour in words, then in silence", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { dmPolicy: "open", allowFrom: ["*"] } }) });
    expect(await told(rig, "/help")).toMatchObject({ disposition: "denied", seen: ["You may talk with me here, but not use commands."] });
    expect(await told(rig, "/new x")).toMatchObject({
      disposition: "denied",
      seen: [],
      codes: expect.arrayContaining(["command/unauthorised"]),
    });
    await rig.clock.advance(60 * 60 * 1000);
    expect((await told(rig, "/status")).seen).toHaveLength(1);
    expect(rig.model.requests).toEqual([]);
  });

  it("that are none of ours are words for the agent", async () => {
    const rig = await spineRig();
    expect(await told(rig, "/unknown thing")).toMatchObject({ disposition: "replied", seen: ["echo: /unknown thing"] });
    expect(await told(rig, "please /help me")).toMatchObject({ seen: ["echo: please /help me"] });
  });

  it("that fail are told in one sentence, and do not run again", async () => {
    let runs = 0;
    const broken = defineCommand({
      name: "broken",
      help: "Breaks.",
      access: "authorised",
      async run() {
        runs += 1;
        throw new TypeError("undefined is not a function");
      },
    });
    const rig = await spineRig({ commands: [broken] });
    expect(await told(rig, "/broken")).toMatchObject({
      disposition: "failed",
      seen: ["Something went wrong on my side. Please try again."],
    });
    expect(runs).toBe(1);
  });
});

it("a turn tells its observers when it starts, is seen and ends, and which part belongs to it", async () => {
  const rig = await spineRig();
  const told: string[] = [];
  const turns = new Set<string | null>();
  const note = (what: string, turn: string | null): void => {
    told.push(what);
    turns.add(turn);
  };
  rig.hooks.observe("turn:started", ({ turn }) => note("started", turn));
  rig.hooks.observe("turn:visible", ({ turn }) => note("visible", turn));
  rig.hooks.observe("turn:ended", ({ turn, disposition, parts }) => note(`${disposition}, ${parts}`, turn));
  rig.hooks.observe("delivery:sent", ({ turn }) => note("sent", turn));
  rig.model.next(say("Good "), say("morning."), end("stop"));
  await rig.hears({ text: "hello" });
  await rig.rests();
  await waitUntil(() => told.length >= 4, "all is told");
  expect(told.slice(0, 2)).toEqual(["started", "visible"]);
  expect(told.slice(2).toSorted()).toEqual(["replied, 1", "sent"]);
  expect(turns.size).toBe(1);
});

describe("stopping", () => {
  it.each([
    ["/stop", hang()],
    ["stop", hang()],
    ["停", hang({ deaf: true })],
  ])("by %j ends the running turn and what waits, keeps what was visible, and is answered once", async (word, step) => {
    const rig = await spineRig();
    rig.model.next(say("I was just going to"), step);
    const running = await rig.hears({ text: "write a novel" });
    await rig.model.called(1);
    const waiting = await rig.hears({ text: "and another" });
    const stop = await rig.hears({ text: word });
    await rig.rests();
    const outcomes = await Promise.all([running, waiting, stop].map(async ({ id }) => (await rig.explain(id)).disposition));
    expect(outcomes).toEqual(["aborted", "aborted", "command"]);
    expect(rig.fake.texts()).toEqual(["I was just going to", "Stopped."]);
    expect(rig.fake.previews.at(-1)).not.toHaveProperty("text");
    expect((await rig.explain(running.id)).parts.map(({ state }) => state)).toEqual(["sent"]);
    expect(await told(rig, "go on")).toMatchObject({ disposition: "replied" });
    expect(rig.model.requests.at(-1)?.messages).toContainEqual({ role: "assistant", text: "I was just going to" });
  });

  it("keeps of an answer what the preview showed of it: whole steps, and no word that was held back", async () => {
    const rig = await spineRig();
    rig.model.next(say("Let me look at the clock."), callTool("now"));
    rig.model.next(say("<think>it is late</think>It is [[rep"), hang());
    await rig.hears({ text: "what time is it?" });
    await rig.model.called(2);
    await rig.clock.advance(50); // the next look at what has grown
    await rig.hears({ text: "/stop" });
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["Let me look at the clock.\n\nIt is", "Stopped."]);
  });

  it("sends nothing where nothing of the answer could be seen", async () => {
    const rig = await spineRig({ fake: createFakeChannel({ capabilities: { preview: "none" } }) });
    rig.model.next(say("Let me look at the clock."), callTool("now"));
    rig.model.next(hang());
    await rig.hears({ text: "what time is it?" });
    await rig.model.called(2);
    await rig.hears({ text: "/stop" });
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["Stopped."]);
  });

  it("with nothing running is said so for /stop, and is a word like any other without the slash", async () => {
    const rig = await spineRig();
    expect(await told(rig, "/stop")).toMatchObject({ disposition: "command", seen: ["Nothing was running."] });
    expect(await told(rig, "stop")).toMatchObject({ disposition: "replied", seen: ["echo: stop"] });
    expect(await told(rig, "please stop")).toMatchObject({ seen: ["echo: please stop"] });
  });

  it("in a group is for the person whose turn runs, or by a mention", async () => {
    const rig = await spineRig({ config: withTeam });
    rig.model.next(hang());
    await rig.hears({ text: "@bot go", ...inTeam, ...meant });
    await rig.model.called(1);
    expect((await rig.explain((await rig.hears({ text: "stop", ...inTeam, sender: bob })).id)).disposition).toBe("not-mentioned");
    await rig.hears({ text: "stop", ...inTeam });
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["Stopped."]);
  });
});

describe("an agent that", () => {
  it("chooses to be silent is let be", async () => {
    const rig = await spineRig();
    for (const text of ["NO_REPLY", "**no_reply**", "<think>better not</think>NO_REPLY"]) {
      rig.model.next(say(text));
      expect(await told(rig, "anything?"), text).toMatchObject({ disposition: "silent", seen: [] });
    }
    expect(rig.fake.previews).toEqual([]);
  });

  it("says nothing at all is excused in one sentence", async () => {
    const rig = await spineRig();
    for (const steps of [[], [say("   ")], [think("hm")]]) {
      rig.model.next(...steps);
      expect(await told(rig, "anything?")).toMatchObject({ disposition: "replied", seen: ["I have nothing to say to that."] });
    }
  });

  it("uses tools gets their results, and its words arrive in order", async () => {
    const rig = await spineRig();
    rig.model.next(say("One moment."), callTool("now", { zone: "UTC" }));
    rig.model.next(say("It is midnight."));
    expect(await told(rig, "time?")).toMatchObject({ disposition: "replied", seen: ["One moment.", "It is midnight."] });
    expect(rig.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", text: expect.stringContaining("1 January 2026") });
    await told(rig, "thanks");
    expect(rig.model.requests[2]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  });

  it("writes its thoughts or control tags into the answer does not show them", async () => {
    const rig = await spineRig();
    rig.model.next(say("<think>the user is"), say(" silly</think>[[reply_to_current]]Gladly."));
    expect(await told(rig, "please")).toMatchObject({ seen: ["Gladly."] });
    expect(rig.fake.visible[0]?.replyToId).toBeDefined();
    expect(JSON.stringify(rig.fake.previews)).not.toMatch(/silly|reply_to/);
  });
});

describe("a model that", () => {
  const provider = "Provider-Wortlaut: quota exceeded for org-123";
  const failure = (code: ConstructorParameters<typeof GatewayError>[0]) =>
    fail(new GatewayError(code, { detail: { provider: "script", body: provider }, cause: new Error(provider) }));

  it.each([
    ["MODEL_AUTH", "My language model refused the gateway's key. The owner of this bot has to look at it."],
    ["MODEL_RATE_LIMITED", "I cannot reach my language model right now. Please try again in a moment."],
    ["MODEL_NETWORK", "I cannot reach my language model right now. Please try again in a moment."],
    ["MODEL_CONTEXT_OVERFLOW", "This conversation has become too long for my language model. Send /new to start afresh."],
    ["MODEL_TIMEOUT", "My language model did not answer in time. Please try again."],
  ] as const)("fails before it says anything (%s) is reported in one readable sentence", async (code, sentence) => {
    const rig = await spineRig();
    rig.model.next(failure(code));
    expect(await told(rig, "hello")).toMatchObject({
      disposition: "failed",
      seen: [sentence],
      codes: expect.arrayContaining([`agent/${code}`]),
    });
    expect(rig.fake.texts().join()).not.toContain("quota");
    expect(await told(rig, "still there?")).toMatchObject({ disposition: "replied" });
  });

  it("throws something of its own is reported too", async () => {
    const rig = await spineRig();
    rig.model.next(fail(new TypeError(provider)));
    const { disposition, seen } = await told(rig, "hello");
    expect([disposition, seen.length]).toEqual(["failed", 1]);
    expect(seen[0]).not.toContain("quota");
  });

  it.each([
    ["in the middle", [say("Once upon a ti"), failure("MODEL_NETWORK")]],
    ["after its last word", [say("Once upon a ti"), say(""), failure("MODEL_BAD_RESPONSE")]],
  ])("breaks off %s leaves what it said, with a note", async (_, steps) => {
    const rig = await spineRig();
    rig.model.next(...steps);
    expect(await told(rig, "a story")).toMatchObject({
      disposition: "failed",
      seen: ["Once upon a ti", "The answer broke off here: the connection to my language model was lost."],
    });
    await told(rig, "go on");
    expect(rig.model.requests[1]?.messages.at(-2)).toEqual({ role: "assistant", text: "Once upon a ti" });
  });

  it.each([
    ["is followed by the next model where nobody saw it", "none", ["A story, from its beginning."], 2],
    [
      "stays, with a note, where it was seen while it grew",
      "draft",
      ["Once upon a ti", "The answer broke off here: the connection to my language model was lost."],
      1,
    ],
  ] as const)("breaks off in the middle %s", async (_, preview, seen, calls) => {
    const fake = createFakeChannel({ capabilities: { preview } });
    const config = fakeConfig({ agents: [fakeAgent({ model: { primary: "script/one", fallbacks: ["script/two"] } })] });
    const rig = await spineRig({ fake, config });
    rig.model.next(say("Once upon a ti"), failure("MODEL_NETWORK"));
    rig.model.next(say("A story, from its beginning."));
    expect(await told(rig, "a story")).toMatchObject({ disposition: calls === 2 ? "replied" : "failed", seen });
    expect(rig.model.requests).toHaveLength(calls);
  });

  it.each([
    ["before its first word", [], ["My language model did not answer in time. Please try again."]],
    ["in the middle", [say("Well")], ["Well", "The answer broke off here: the connection to my language model was lost."]],
  ])("hangs %s is given up after a while, and the next message gets its turn", async (_, steps, seen) => {
    const rig = await spineRig();
    rig.model.next(...steps, hang({ deaf: true }));
    const { id } = await rig.hears({ text: "hello" });
    await rig.model.called(1);
    await rig.hears({ text: "next" });
    await rig.clock.advance(10 * 60 * 1000);
    await rig.rests();
    expect((await rig.explain(id)).disposition).toBe("failed");
    expect(rig.fake.texts()).toEqual([...seen, "echo: next"]);
  });

  it("refuses is believed, and the person told", async () => {
    const rig = await spineRig();
    rig.model.next(end("refusal"));
    expect(await told(rig, "something bad")).toMatchObject({ disposition: "failed", seen: ["My language model declined to answer that."] });
  });

  it("never ends its steps is stopped", async () => {
    const rig = await spineRig();
    for (let n = 0; n < 25; n += 1) rig.model.next(callTool("now", {}, `c${n}`));
    expect(await told(rig, "loop")).toMatchObject({
      disposition: "failed",
      seen: ["That took more steps than I may take for one answer, so I stopped. Please ask for less at once."],
    });
    expect(rig.model.requests).toHaveLength(20);
  });
});

describe("after a restart", () => {
  it("what was open is answered, once and in order", async () => {
    const first = await spineRig();
    first.model.next(say("I was say"), hang());
    await first.hears({ text: "1" });
    await first.model.called(1);
    await first.hears({ text: "2" });
    await first.stop();
    expect(first.fake.texts()).toEqual([]);

    const second = await spineRig({ folder: first.folder, fake: first.fake, clock: first.clock, seed: 2 });
    await second.rests();
    expect(second.fake.texts()).toEqual(["echo: 1", "echo: 2"]);
    expect(second.model.requests[1]?.messages.map(({ text }) => text).slice(1)).toEqual(["1", "echo: 1", "2"]);
    expect((await second.pipeline.counts()).messages).toMatchObject({ accepted: 2, dispositions: { replied: 2 } });
  });

  it("a message that is resumed still has its picture", async () => {
    const first = await spineRig();
    Object.assign(first.fake.transport, {
      fetchMedia: async () => ({
        data: (async function* () {
          yield new Uint8Array(3);
        })(),
        mimeType: "image/png",
      }),
    });
    first.model.next(hang());
    await first.hears({ text: "what is this?", media: [{ kind: "image", url: "channel:1", fileName: "cat.png" }] });
    await first.model.called(1);
    await first.stop();
    const second = await spineRig({ folder: first.folder, fake: first.fake, clock: first.clock, seed: 2 });
    await second.rests();
    expect(second.model.requests[0]?.messages.at(-1)).toEqual({
      role: "user",
      text: "what is this?",
      images: [{ name: "cat.png", mimeType: "image/png", base64: "AAAA" }],
    });
  });

  it("an answer whose sending was cut is looked for, and not sent twice", async () => {
    const first = await spineRig();
    const gate = createGate();
    first.fake.next({ gate, effect: true, error: new Error("never gets here") });
    const { id } = await first.hears({ text: "hello" });
    await gate.reached;
    await first.stop();
    first.fake.nextReconcile({ outcome: "sent", receipt: { messageId: "555" } });
    const second = await spineRig({ folder: first.folder, fake: first.fake, clock: first.clock, seed: 2 });
    await second.rests();
    expect(second.fake.attempts).toHaveLength(1);
    expect(await second.explain(id)).toMatchObject({
      disposition: "replied",
      delivery: "delivered",
      parts: [{ receipt: { messageId: "555" } }],
    });
  });

  it("a message that never gets to its end is put aside after three starts, with one sentence, and the next one has its turn", async () => {
    const hanging = () => {
      const model = createScriptedModel();
      model.next(hang());
      return model;
    };
    let rig = await spineRig({ model: hanging() });
    const { id } = await rig.hears({ text: "poison" });
    await rig.hears({ text: "honey" });
    for (let start = 2; start <= 4; start += 1) {
      await rig.model.called(1);
      await rig.stop();
      const { folder, fake, clock } = rig;
      rig = await spineRig({ folder, fake, clock, seed: start, model: start <= 3 ? hanging() : createScriptedModel() });
    }
    await rig.rests();
    expect(rig.fake.texts()).toEqual([
      "I could not finish this message after several tries, so I have put it aside. Please try it differently.",
      "echo: honey",
    ]);
    expect(await rig.explain(id)).toMatchObject({ disposition: "failed", turn: { attempts: 4 } });
  });
});
