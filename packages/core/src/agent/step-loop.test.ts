import {
  type AgentEvent,
  defineTool,
  GatewayError,
  type ModelMessage,
  type ModelProvider,
  type ModelStep,
  silentLogger,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { callTool, createGate, createVirtualClock, fail, hold, say, think } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../fake-wait.ts";
import { TurnAborted } from "../lanes/abort.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { fakeRun } from "./fake-run.ts";
import { createStepLoop, MAX_CALLS, MAX_STEPS } from "./step-loop.ts";

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  idempotent: true,
  run: async ({ a, b }) => String(a + b),
}) as ToolDefinition;

describe("the step loop", () => {
  it("mends halves of characters, which nobody can send on", async () => {
    const { script, start } = fakeRun();
    script.next(say("a\ud83d b\ude00 \u{1f600}"));
    expect(await start()).toContainEqual({ type: "message-end", text: "a\ufffd b\ufffd \u{1f600}" });
  });

  it("streams an answer and ends with what it adds to the transcript", async () => {
    const { script, start } = fakeRun();
    script.next(think("hm"), say("Hel"), say("lo"));
    expect(await start({ tools: [add] })).toEqual([
      { type: "model-selected", model: "script/one" },
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "Hel" },
      { type: "text", delta: "lo" },
      { type: "message-end", text: "Hello" },
      { type: "done", messages: [{ role: "assistant", text: "Hello" }], usage: { inputTokens: 10, outputTokens: 5 }, model: "script/one" },
    ]);
    expect(script.requests[0]).toMatchObject({
      model: "one",
      thinking: "low",
      messages: [{ role: "user", text: "hi" }],
      tools: [{ name: "add" }],
    });
  });

  it("runs tools, several in a step, and goes on with their results", async () => {
    const { script, start, events } = fakeRun();
    script.next(say("Let me see."), callTool("add", { a: 1, b: 2 }, "c1"), callTool("add", { a: 3, b: 4 }, "c2"));
    script.next(say("3 and 7"));
    await start({ tools: [add] });
    const expected: ModelMessage[] = [
      {
        role: "assistant",
        text: "Let me see.",
        toolCalls: [
          { id: "c1", name: "add", args: '{"a":1,"b":2}' },
          { id: "c2", name: "add", args: '{"a":3,"b":4}' },
        ],
      },
      { role: "tool", callId: "c1", name: "add", text: "3", isError: false },
      { role: "tool", callId: "c2", name: "add", text: "7", isError: false },
    ];
    expect(script.requests[1]?.messages).toEqual([{ role: "user", text: "hi" }, ...expected]);
    expect(events.at(-1)).toMatchObject({
      type: "done",
      messages: [...expected, { role: "assistant", text: "3 and 7" }],
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    expect(events.filter((event) => event.type === "message-end").map((event) => event.text)).toEqual(["Let me see.", "3 and 7"]);
  });

  it("lets the model know what went wrong with a tool", async () => {
    const { script, start } = fakeRun();
    script.next(callTool("add", "{", "c1"), callTool("none", {}, "c2"));
    await start({ tools: [add] });
    expect(script.requests[1]?.messages.slice(-2)).toMatchObject([
      { callId: "c1", isError: true },
      { callId: "c2", isError: true },
    ]);
  });

  it("takes from the journal what an earlier start did, and goes on with a model that is still wanted", async () => {
    const { script, start, asked } = fakeRun(["script/one"]);
    script.next(say("7"));
    const toolCalls = [{ id: "c1", name: "add", args: "{}" }];
    const message = { role: "assistant", text: "Let me see.", toolCalls } as const;
    const past: ModelStep[] = [{ model: "other/two", message, usage: { inputTokens: 1, outputTokens: 2 } }];
    const recorded: ModelStep[] = [];
    const events = await start(
      {},
      {
        replay: () => past.shift(),
        record: (step) => void recorded.push(step),
        callTool: async () => ({ text: "7", isError: false }),
      },
    );
    expect(asked).toEqual(["script"]);
    expect(script.requests[0]?.messages.slice(1)).toMatchObject([message, { role: "tool", callId: "c1", text: "7" }]);
    expect(events.filter((event) => event.type === "message-end").map((event) => event.text)).toEqual(["Let me see.", "7"]);
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 11, outputTokens: 7 }, model: "script/one" });
    // The last step is kept by the end of the turn.
    expect(recorded).toEqual([]);
  });

  it("goes on behind what people have already: the last word in the prompt is not the model's", async () => {
    const { script, start } = fakeRun();
    script.next(say("the rain fell on the roof."), callTool("add", { a: 1, b: 2 }, "c1"));
    script.next(say("Done."));
    const recorded: ModelStep[] = [];
    const open = ["It was late, and the rain fell", ""];
    const events = await start({ tools: [add] }, { delivered: () => open.shift() ?? "", record: (step) => void recorded.push(step) });
    expect(script.requests[0]?.messages.slice(1)).toEqual([
      { role: "assistant", text: "It was late, and the rain fell" },
      { role: "user", text: expect.stringMatching(/^\(.*delivered already.*\)$/) },
    ]);
    const whole = "It was late, and the rain fell on the roof.";
    expect(script.requests[1]?.messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
      ["assistant", whole],
      ["tool", "3"],
    ]);
    expect(recorded.map(({ message }) => message.text)).toEqual([whole]);
    expect(events.find((event) => event.type === "message-end")).toEqual({ type: "message-end", text: whole });
  });

  it("makes no more calls in a step than a turn can bear, and says so", async () => {
    const { script, start } = fakeRun();
    script.next(...Array.from({ length: MAX_CALLS + 2 }, (_, n) => callTool("add", { a: n, b: 0 }, `c${n}`)));
    script.next(say("Enough."));
    await start({ tools: [add] });
    const results = script.requests[1]!.messages.filter(({ role }) => role === "tool");
    expect(results).toHaveLength(MAX_CALLS + 2);
    expect(results.slice(-3)).toMatchObject([
      { text: "31" },
      { isError: true },
      { callId: "c33", text: expect.stringContaining("Not done") },
    ]);
  });

  it("ends a turn that takes too many steps", async () => {
    const { script, start } = fakeRun();
    for (let n = 0; n <= MAX_STEPS; n += 1) script.next(callTool("add", { a: 1, b: 1 }));
    await expect(start({ tools: [add] })).rejects.toMatchObject({ code: "MODEL_STEPS_EXHAUSTED" });
    expect(script.requests).toHaveLength(MAX_STEPS);
  });

  it("says nothing of a step without text", async () => {
    const { script, start, short } = fakeRun();
    script.next();
    await start();
    expect(short()).toEqual(["model script/one", "done script/one"]);
  });

  it("ends a tool when the turn is stopped", async () => {
    const { script, start, controller } = fakeRun();
    const gate = createGate();
    script.next(callTool("slow"));
    const slow = { ...add, name: "slow", parameters: z.object({}), run: () => gate.pass().then(() => "") } as ToolDefinition;
    const done = start({ tools: [slow] });
    await gate.reached;
    controller.abort(new TurnAborted("user"));
    await expect(done).rejects.toBeInstanceOf(TurnAborted);
  });

  it("ends the call when nobody listens any more", async () => {
    const { script, loop, run } = fakeRun();
    const gate = createGate();
    script.next(say("one"), say("two"), hold(gate));
    for await (const event of loop.run(run)) if (event.type === "text") break;
    await until(() => script.ended() === 1, "the call has ended");
  });
});

describe("what a model gets to read", () => {
  const image = { mimeType: "image/png", base64: "AAAA", name: "cat.png" };
  const withImage: ModelMessage = { role: "user", text: "Look", images: [image] };

  it("has images where the model sees, and their names where it does not", async () => {
    const about = { script: { info: { input: ["text"] } }, other: { info: { input: ["text", "image"] } } } as const;
    const { script, other, loop, start } = fakeRun(["script/one", "other/two"], about);
    script.next(fail(new GatewayError("MODEL_AUTH")));
    await start({ messages: [withImage] });
    expect(script.requests[0]?.messages).toEqual([
      { role: "user", text: expect.stringMatching(/^Look\n\(attached file: .*cat\.png.*\)$/) },
    ]);
    expect(other.requests[0]?.messages).toEqual([withImage]);
    expect(loop.seesImages?.(["script/one"])).toBe(false);
    expect(loop.seesImages?.(["script/one", "other/two"])).toBe(true);
  });

  it("has what it attached to its own answers, and not what another model did", async () => {
    const { script, start } = fakeRun();
    const own: ModelMessage = { role: "assistant", text: "Yes.", opaque: { model: "script/one", data: ["sig"] } };
    const others: ModelMessage = { role: "assistant", text: "No.", opaque: { model: "script/two", data: ["sig"] } };
    await start({ messages: [{ role: "user", text: "1" }, own, { role: "user", text: "2" }, others, { role: "user", text: "3" }] });
    expect(script.requests[0]?.messages[1]).toEqual(own);
    expect(script.requests[0]?.messages[3]).toEqual({ role: "assistant", text: "No." });
  });

  it("asks for the agent's thinking level, else for the model's own", async () => {
    const { script, loop, run } = fakeRun(["script/one"], { script: { info: { defaultThinking: "high" } } });
    const { thinking: _low, ...plain } = run;
    for (const one of [{ ...plain, thinking: "medium" as const }, plain]) for await (const event of loop.run(one)) void event;
    expect(script.requests.map(({ thinking }) => thinking)).toEqual(["medium", "high"]);
  });
});

describe("an answer with something attached", () => {
  it.each([
    ["keeps it for later prompts", "x".repeat(100), true],
    ["drops it from the transcript when it is large", "x".repeat(100_000), false],
  ])("%s", async (_name, data, kept) => {
    const provider: ModelProvider = {
      id: "a",
      async *stream() {
        yield { type: "text", delta: "Hi." };
        yield { type: "end", reason: "stop", usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1 }, opaque: data };
      },
    };
    const loop = createStepLoop({ models: createModelRegistry([provider]), clock: createVirtualClock(), logger: silentLogger });
    const events: AgentEvent[] = [];
    for await (const event of loop.run({ ...fakeRun(["a/x"]).run, messages: [] })) events.push(event);
    const message = kept ? { role: "assistant", text: "Hi.", opaque: { model: "a/x", data } } : { role: "assistant", text: "Hi." };
    expect(events.at(-1)).toEqual({
      type: "done",
      messages: [message],
      model: "a/x",
      usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1 },
    });
  });
});
