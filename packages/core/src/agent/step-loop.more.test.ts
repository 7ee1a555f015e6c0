import {
  type AgentEvent,
  type AgentRun,
  defineTool,
  type ErrorCode,
  GatewayError,
  type ModelMessage,
  silentLogger,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import {
  callTool,
  createGate,
  createScriptedModel,
  createVirtualClock,
  end,
  fail,
  hang,
  hold,
  say,
  think,
} from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DIRECT } from "../fake-message.ts";
import { turnOfLoop, until } from "../fake-wait.ts";
import { TurnAborted } from "../lanes/abort.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { createStepLoop, MAX_STEPS } from "./step-loop.ts";

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  idempotent: true,
  run: async ({ a, b }) => String(a + b),
}) as ToolDefinition;

function setUp(models: readonly string[] = ["script/one"]) {
  const clock = createVirtualClock();
  const script = createScriptedModel();
  const other = createScriptedModel({ id: "other" });
  const controller = new AbortController();
  const loop = createStepLoop({ models: createModelRegistry([script, other]), clock, logger: silentLogger });
  const run: AgentRun = {
    turn: "tn_1",
    agent: "aria",
    conversation: DIRECT,
    models,
    thinking: "low",
    messages: [{ role: "user", text: "hi" }],
    tools: [add],
    signal: controller.signal,
  };
  const events: AgentEvent[] = [];
  const start = async (): Promise<AgentEvent[]> => {
    for await (const event of loop.run(run)) events.push(event);
    return events;
  };
  const short = (): string[] =>
    events.map((event) =>
      event.type === "text" ? `text ${event.delta}` : event.type === "model-selected" ? `model ${event.model}` : event.type,
    );
  return { clock, script, other, controller, loop, run, events, start, short };
}

const error = (code: ErrorCode, options: { retryable?: boolean; retryAfterMs?: number } = {}) =>
  fail(new GatewayError(code, { detail: { provider: "script", model: "one" }, ...options }));
const transient = error("MODEL_OVERLOADED", { retryable: true });

describe("the step loop", () => {
  it("streams an answer and ends with what it adds to the transcript", async () => {
    const { script, start } = setUp();
    script.next(think("hm"), say("Hel"), say("lo"));
    expect(await start()).toEqual([
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
    const { script, start, events } = setUp();
    script.next(say("Let me see."), callTool("add", { a: 1, b: 2 }, "c1"), callTool("add", { a: 3, b: 4 }, "c2"));
    script.next(say("3 and 7"));
    await start();
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
    const { script, start } = setUp();
    script.next(callTool("add", "{", "c1"), callTool("none", {}, "c2"));
    await start();
    expect(script.requests[1]?.messages.slice(-2)).toMatchObject([
      { callId: "c1", isError: true },
      { callId: "c2", isError: true },
    ]);
  });

  it("ends a turn that takes too many steps", async () => {
    const { script, start } = setUp();
    for (let n = 0; n <= MAX_STEPS; n += 1) script.next(callTool("add", { a: 1, b: 1 }));
    await expect(start()).rejects.toMatchObject({ code: "MODEL_STEPS_EXHAUSTED" });
    expect(script.requests).toHaveLength(MAX_STEPS);
  });

  it("says nothing of a step without text", async () => {
    const { script, start, short } = setUp();
    script.next();
    await start();
    expect(short()).toEqual(["model script/one", "done"]);
  });
});

describe("a failing model", () => {
  it("is asked once more when it broke off before it said anything", async () => {
    const { clock, script, start, short } = setUp();
    script.next(think("hm"), transient);
    script.next(say("here"));
    const done = start();
    await clock.waiting((ms) => ms === 250);
    await clock.advance(250);
    await done;
    expect(short()).toEqual(["model script/one", "reasoning", "text here", "message-end", "done"]);
  });

  it("waits as long as the provider asks for, when that is short", async () => {
    const { clock, script, start } = setUp();
    script.next(error("MODEL_RATE_LIMITED", { retryable: true, retryAfterMs: 5000 }));
    const done = start();
    await clock.waiting((ms) => ms === 5000);
    await clock.advance(5000);
    await done;
    expect(script.requests).toHaveLength(2);
  });

  it("gives way to the next one: after two tries, at once when it is asked to wait long, at once for a lasting error", async () => {
    const cases = [
      { steps: [transient, transient], wait: true },
      { steps: [error("MODEL_RATE_LIMITED", { retryable: true, retryAfterMs: 5001 })], wait: false },
      { steps: [error("MODEL_AUTH")], wait: false },
      { steps: [fail(new TypeError("undefined is not a function"))], wait: false },
    ];
    for (const { steps, wait } of cases) {
      const { clock, script, start, short } = setUp(["script/one", "other/two"]);
      for (const step of steps) script.next(step);
      const done = start();
      if (wait) {
        await clock.waiting((ms) => ms === 250);
        await clock.advance(250);
      }
      await done;
      expect(script.requests).toHaveLength(steps.length);
      expect(short().slice(0, 3)).toEqual(["model script/one", "model other/two", "text echo: hi"]);
    }
  });

  it("that exists nowhere gives way too", async () => {
    const { start, short } = setUp(["nowhere/x", "other/two"]);
    await start();
    expect(short()[1]).toBe("model other/two");
  });

  it("does not give way once it has said something: no answer starts again from the top", async () => {
    const { script, other, start, short } = setUp(["script/one", "other/two"]);
    script.next(say("Once upon"), transient);
    await expect(start()).rejects.toMatchObject({ code: "MODEL_OVERLOADED" });
    expect(short()).toEqual(["model script/one", "text Once upon"]);
    expect([script.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it("that refuses is believed", async () => {
    const { script, other, start } = setUp(["script/one", "other/two"]);
    script.next(end("refusal"));
    await expect(start()).rejects.toMatchObject({ code: "MODEL_REFUSED" });
    expect([script.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it("leaves its error when all have failed", async () => {
    const { script, other, start } = setUp(["script/one", "other/two"]);
    script.next(error("MODEL_AUTH"));
    other.next(error("MODEL_NETWORK"));
    await expect(start()).rejects.toMatchObject({ code: "MODEL_NETWORK" });
  });

  it("keeps the rest of the turn once it has answered a step", async () => {
    const { script, other, start, short } = setUp(["script/one", "other/two"]);
    script.next(error("MODEL_AUTH"));
    other.next(callTool("add", { a: 1, b: 1 }));
    await start();
    expect([script.requests.length, other.requests.length]).toEqual([1, 2]);
    expect(short().filter((event) => event.startsWith("model"))).toEqual(["model script/one", "model other/two"]);
  });
});

describe("aborting", () => {
  it.each([
    ["that waits", hang()],
    ["that does not listen", hang({ deaf: true })],
  ])("ends a call at once, also of a provider %s", async (_, step) => {
    const { script, other, start, controller } = setUp(["script/one", "other/two"]);
    script.next(say("so far"), step);
    const done = start();
    await script.called(1);
    await turnOfLoop();
    controller.abort(new TurnAborted("user"));
    await expect(done).rejects.toBeInstanceOf(TurnAborted);
    expect(other.requests).toHaveLength(0);
  });

  it("ends a wait for the next try", async () => {
    const { clock, script, start, controller } = setUp();
    script.next(transient);
    const done = start();
    await clock.waiting();
    controller.abort(new TurnAborted("user"));
    await expect(done).rejects.toBeInstanceOf(TurnAborted);
    expect(clock.pending()).toEqual([]);
  });

  it("ends a tool", async () => {
    const { script, run, loop, controller } = setUp();
    const gate = createGate();
    script.next(callTool("slow"));
    const slow = { ...add, name: "slow", parameters: z.object({}), run: () => gate.pass().then(() => "") } as ToolDefinition;
    const done = (async () => {
      for await (const event of loop.run({ ...run, tools: [slow] })) void event;
    })();
    await gate.reached;
    controller.abort(new TurnAborted("user"));
    await expect(done).rejects.toBeInstanceOf(TurnAborted);
  });

  it("by no longer listening ends the call with it", async () => {
    const { script, loop, run } = setUp();
    const gate = createGate();
    script.next(say("one"), say("two"), hold(gate));
    for await (const event of loop.run(run)) if (event.type === "text") break;
    await until(() => script.ended() === 1, "the call has ended");
  });
});
