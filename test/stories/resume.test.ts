import { explainMessage } from "@trunkline/core";
import type { AgentRuntime, InboundMessage, ModelRequest, Store, ToolDefinition } from "@trunkline/plugin-sdk";
import { callTool, createScriptedModel, createTextTool, say, type ScriptStep } from "@trunkline/plugin-sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { fakeMessage } from "../../packages/core/src/fake-message.ts";
import { postgresDatabase, sqliteDatabase, type TestDatabase, type TestStore } from "../store/databases.ts";
import { dieAtEachPoint, mortalPipeline, type World } from "../support/mortal-pipeline.ts";

const anybody = fakeConfig({ account: { dmPolicy: "open", allowFrom: ["*"] } });

let people = 0;

/** A message of somebody who never wrote before. */
function newcomer(text = "go"): InboundMessage {
  people += 1;
  const id = `person${people}`;
  return fakeMessage({
    text,
    sender: { id, isBot: false, isSelf: false },
    conversation: { channel: "fake", account: "main", kind: "direct", id },
  });
}

/** A world with the model and the tools of a story, and what the tools did in it. */
function worldWith(store: Store, script: (request: ModelRequest) => readonly ScriptStep[], agent?: World["agent"]) {
  const ran: string[] = [];
  const tool = (name: string, idempotent: boolean): ToolDefinition =>
    createTextTool(
      name,
      async ({ text }) => {
        ran.push(`${name} ${text}`);
        return `${name} did ${text}`;
      },
      { idempotent },
    ) as ToolDefinition;
  const model = createScriptedModel({ otherwise: script });
  const tools = [tool("charge", false), tool("lookup", true)];
  return { store, platform: createFakeChannel(), model, tools, config: anybody, ran, ...(agent ? { agent } : {}) };
}

const count = (ran: readonly string[], wanted: string): number => ran.filter((one) => one === wanted).length;

/** What a request holds beside its prompt: the steps of this turn. */
const stepsIn = (request: ModelRequest) => request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user") + 1);

let calls = 0;

/** A call by a model, which never gives two calls the same id. */
const ask = (tool: string, text: string): ScriptStep => callTool(tool, { text }, `call${(calls += 1)}`);

/** Two tools at once, then another, then the answer. */
function shopping(request: ModelRequest): readonly ScriptStep[] {
  const results = stepsIn(request).filter(({ role }) => role === "tool");
  if (results.length === 0) return [say("One moment."), ask("charge", "5"), ask("lookup", "x")];
  if (results.length === 2) return [ask("charge", "7")];
  return [say(`Done: ${results.map(({ text }) => (text.includes("unknown") ? "unknown" : text)).join(", ")}.`)];
}

const PARAGRAPHS = ["This is the first paragraph of it.", "And here, the second paragraph follows.", "The third and last one ends it."];

/** Says three paragraphs; one that is asked to go on repeats a little of what people have. */
function novel(request: ModelRequest): readonly ScriptStep[] {
  const whole = PARAGRAPHS.join("\n\n");
  const last = request.messages.at(-1)!;
  expect(last.role).toBe("user");
  if (!last.text.includes("delivered already")) return PARAGRAPHS.map((text, index) => say(index === 0 ? text : `\n\n${text}`));
  const delivered = request.messages.at(-2)!.text;
  expect(whole.startsWith(delivered)).toBe(true);
  return [say(whole.slice(Math.max(0, delivered.length - 20)))];
}

/** The loop, with each paragraph but the last as a block as soon as the next one begins; one that goes on leaves the rest to the final. */
const inBlocks = (loop: AgentRuntime): AgentRuntime => ({
  async *run(run) {
    let open = "";
    const again = run.journal.delivered() !== "";
    for await (const event of loop.run(run)) {
      yield event;
      if (event.type !== "text" || again) continue;
      open += event.delta;
      const end = open.indexOf("\n\n");
      if (end < 0) continue;
      yield { type: "block", payload: { text: open.slice(0, end) } };
      open = open.slice(end + 2);
    }
  },
});

/** An agent that asks no model: a block, a tool, another block, the answer. It does the same at every start. */
const scripted = (): AgentRuntime => ({
  async *run({ journal }) {
    yield { type: "block", payload: { text: "Working on it." } };
    const { text } = await journal.callTool({ id: "c1", name: "charge", args: '{"text":"5"}' });
    yield { type: "block", payload: { text: "Half way." } };
    yield { type: "block", payload: { text: "Half way." } };
    const answer = text.includes("unknown") ? "I do not know whether it was charged." : "It was charged.";
    yield { type: "message-end", text: answer };
    yield { type: "done", messages: [{ role: "assistant", text: answer }], usage: { inputTokens: 0, outputTokens: 0 }, model: "test/none" };
  },
});

const LOST = ["with what was lazy lost", false] as const;
const KEPT = ["with what was lazy kept", true] as const;

describe.each([
  ["SQLite", sqliteDatabase, [LOST, KEPT]],
  ["PostgreSQL", postgresDatabase, [KEPT]],
] as const)("a process that dies anywhere, on %s,", (_name, start, modes) => {
  let database: TestDatabase;
  let subject: TestStore;
  beforeAll(async () => {
    database = await start();
  }, 60_000);
  afterAll(() => database?.stop());
  beforeEach(async () => {
    subject = await database.open();
  });
  afterEach(() => subject.dispose());

  const stepsLeft = async (): Promise<number> =>
    (await subject.store.read((tx) => tx.execute({ sql: "select n from steps", parameters: [] }))).length;

  describe.each(modes)("%s,", (_mode, eager) => {
    it("runs no tool twice that must not be, and answers once", { timeout: 120_000 }, async () => {
      const points = await dieAtEachPoint({
        eager,
        world: () => worldWith(subject.store, shopping),
        messages: () => [newcomer()],
        async check({ world, where, pipeline }) {
          const { ran, platform } = world as ReturnType<typeof worldWith>;
          expect(count(ran, "charge 5"), where).toBeLessThanOrEqual(1);
          expect(count(ran, "charge 7"), where).toBeLessThanOrEqual(1);
          expect(count(ran, "lookup x"), where).toBeGreaterThanOrEqual(1);
          const [first, second, ...more] = platform.texts();
          expect([first, more], where).toEqual(["One moment.", []]);
          const told = (amount: string) => (count(ran, `charge ${amount}`) === 1 ? `(charge did ${amount}|unknown)` : "unknown");
          expect(second, where).toMatch(new RegExp(`^Done: ${told("5")}, lookup did x, ${told("7")}\\.$`));
          // With nothing lazy lost, only a death between the intention and the result leaves somebody in doubt.
          if (eager && !/commit|tool charge/.test(where)) expect(second, where).not.toContain("unknown");
          expect((await pipeline.counts()).messages.open, where).toBe(0);
          expect(await stepsLeft(), where).toBe(0);
        },
      });
      expect(points.filter((point) => point === "before tool charge")).toHaveLength(2);
    });

    it("sends no block twice, and none of it again in the answer", { timeout: 120_000 }, async () => {
      const points = await dieAtEachPoint({
        eager,
        world: () => worldWith(subject.store, novel, inBlocks),
        messages: () => [newcomer()],
        async check({ world, where }) {
          expect(world.platform.texts().join("\n\n"), where).toBe(PARAGRAPHS.join("\n\n"));
          const keys = world.platform.visible.map(({ key }) => key);
          expect(new Set(keys).size, where).toBe(keys.length);
          expect(await stepsLeft(), where).toBe(0);
        },
      });
      expect(points.filter((point) => point === "before send").length).toBeGreaterThanOrEqual(3);
    });

    it("passes over the blocks of an agent that says them again", { timeout: 120_000 }, async () => {
      await dieAtEachPoint({
        eager,
        world: () => worldWith(subject.store, () => [], scripted),
        messages: () => [newcomer()],
        check({ world, where }) {
          const { ran, platform } = world as ReturnType<typeof worldWith>;
          expect(ran.length, where).toBeLessThanOrEqual(1);
          const [answer, ...blocks] = platform.texts().toReversed();
          expect(blocks.toReversed(), where).toEqual(["Working on it.", "Half way.", "Half way."]);
          if (ran.length === 0) expect(answer, where).toBe("I do not know whether it was charged.");
          else expect(answer, where).toMatch(/charged\.$/);
        },
      });
    });
  });

  it("gives up after three starts, with one sentence behind what was delivered, and the next message has its turn", async () => {
    const poison = newcomer("poison");
    const world = worldWith(
      subject.store,
      ({ messages }) => [say(messages.at(-1)!.text)],
      (loop) => ({
        async *run(run) {
          if (!run.messages.at(-1)!.text.startsWith("poison")) return yield* loop.run(run);
          yield { type: "block", payload: { text: "I begin." } };
          await run.journal.callTool({ id: "c1", name: "charge", args: '{"text":"5"}' });
          yield* loop.run(run);
        },
      }),
    );
    // The block, the intention, and then no more: at the first start the tool, then the model, takes the process with it.
    for (const point of ["before tool charge", "before model", "before model"]) {
      const process = await mortalPipeline(world, { dieAt: point });
      expect(await process.hears([poison])).toBe(false);
    }
    const last = await mortalPipeline(world);
    await last.hears([poison, { ...newcomer("honey"), conversation: poison.conversation, sender: poison.sender }]);
    expect(world.platform.texts()).toEqual([
      "I begin.",
      "I could not finish this message after several tries, so I have put it aside. Please try it differently.",
      "honey",
    ]);
    expect(world.ran).toEqual([]);
    expect(await stepsLeft()).toBe(0);
    expect((await last.pipeline.counts()).messages.dispositions).toMatchObject({ failed: 1, replied: 1 });
  });

  it("gives up at once on a journal that cannot be read, and does nothing again", async () => {
    const world = worldWith(subject.store, shopping);
    const message = newcomer();
    const process = await mortalPipeline(world, { dieAt: "before tool lookup", eager: true });
    await process.hears([message]);
    await subject.store.write(
      (tx) => tx.execute({ sql: "update steps set result_json = '{' where kind = 'model'", parameters: [] }),
      "durable",
    );
    const next = await mortalPipeline(world);
    await next.hears([message]);
    expect(world.platform.texts()).toEqual([
      "I could not finish this message after several tries, so I have put it aside. Please try it differently.",
    ]);
    expect(world.ran).toEqual(["charge 5"]);
    expect(await stepsLeft()).toBe(0);
  });

  it("goes on from what it did, and with the message as it was heard, under another configuration; explain says so", async () => {
    const world = worldWith(subject.store, shopping);
    const message = newcomer("secret");
    const process = await mortalPipeline(
      { ...world, filter: (heard) => ({ ...heard, text: `${heard.text} (checked)` }) },
      { dieAt: "before tool lookup", eager: true },
    );
    await process.hears([message]);
    const agents = [fakeAgent({ instructions: "Answer at length." })];
    const next = await mortalPipeline({ ...world, config: fakeConfig({ account: { dmPolicy: "open", allowFrom: ["*"] }, agents }) });
    await next.hears([]);
    expect(world.platform.texts()).toEqual(["One moment.", "Done: charge did 5, lookup did x, charge did 7."]);
    expect(world.ran).toEqual(["charge 5", "lookup x", "charge 7"]);
    const asked = world.model.requests;
    expect(asked).toHaveLength(3);
    expect(asked[1]!.messages[0]!.text).toContain("Answer at length.");
    expect(asked.map(({ messages }) => messages[1]!.text)).toEqual(Array(3).fill("secret (checked)"));
    const { decisions } = await explainMessage(`fake:main:${message.conversation.id}/${message.id}`, subject.store);
    expect(decisions.find(({ code }) => code === "resumed")?.why).toBe(
      "taken from an earlier start (model steps: 1, tool results: 1); its prompt or configuration has changed since, what was done stands",
    );
  });
});
