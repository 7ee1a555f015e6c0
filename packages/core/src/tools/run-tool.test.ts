import { defineTool, silentLogger, type ToolContext, type ToolDefinition } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DIRECT, NEW_YEAR } from "../fake-message.ts";
import { nowTool } from "./now.ts";
import { runTool, TOOL_OUTPUT_CHARS, toolSpecs } from "./run-tool.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  parameters: z.strictObject({ text: z.string() }),
  idempotent: true,
  run: async ({ text }) => text,
});
const failing = (run: ToolDefinition["run"]): ToolDefinition => ({ ...echo, run }) as ToolDefinition;

function setUp(tools: readonly ToolDefinition[] = [echo as ToolDefinition]) {
  const clock = createVirtualClock(NEW_YEAR);
  const controller = new AbortController();
  const context: ToolContext = { clock, conversation: DIRECT, agent: "aria", signal: controller.signal };
  const call = (args: string, name = "echo") => runTool({ id: "c1", name, args }, tools, context, silentLogger);
  return { clock, controller, call };
}

describe("running a tool", () => {
  it("gives its text", async () => {
    const { call, clock } = setUp();
    expect(await call('{"text":"hi"}')).toEqual({ args: { text: "hi" }, text: "hi", isError: false });
    expect(clock.pending()).toEqual([]);
  });

  it.each([
    ["not JSON", "{text:", "not valid JSON"],
    ["the wrong type", '{"text":1}', "are invalid"],
    ["an unknown key", '{"text":"a","more":1}', "are invalid"],
    ["nothing", "", "are invalid"],
    ["no object", '"text"', "are invalid"],
  ])("tells the model when the arguments are %s", async (_, args, text) => {
    const { call } = setUp();
    const outcome = await call(args);
    expect(outcome).toMatchObject({ isError: true, args: undefined });
    expect(outcome.text).toContain(text);
  });

  it("tells the model when there is no such tool, without repeating a long name", async () => {
    const outcome = await setUp().call("{}", "x".repeat(500));
    expect(outcome).toMatchObject({ isError: true });
    expect(outcome.text.length).toBeLessThan(100);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such file");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no such file"))],
  ])("tells the model in short when the tool %s", async (_, run) => {
    const outcome = await setUp([failing(run)]).call('{"text":"hi"}');
    expect(outcome).toMatchObject({ isError: true, text: "The tool failed: Error: no such file" });
  });

  it("waits for what has to be done first, only when it is about to run", async () => {
    const order: string[] = [];
    const tool = failing(async () => {
      order.push("run");
      return "done";
    });
    const controller = new AbortController();
    const context: ToolContext = { clock: createVirtualClock(), conversation: DIRECT, agent: "aria", signal: controller.signal };
    const call = (args: string, before: () => Promise<void>) =>
      runTool({ id: "c1", name: "echo", args }, [tool], context, silentLogger, before);
    await call("{", async () => void order.push("before the broken one"));
    await call('{"text":"hi"}', async () => void order.push("before"));
    expect(order).toEqual(["before", "run"]);
    await expect(call('{"text":"hi"}', () => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    await expect(call('{"text":"hi"}', async () => controller.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(order).toEqual(["before", "run"]);
  });

  it("bounds the output", async () => {
    const { call } = setUp([failing(async () => "x".repeat(TOOL_OUTPUT_CHARS + 1))]);
    const { text } = await call('{"text":"hi"}');
    expect(text).toHaveLength(TOOL_OUTPUT_CHARS + "\n(the rest was cut)".length);
  });

  it("bounds the time, also of a tool that does not listen", async () => {
    const { call, clock } = setUp([failing(() => new Promise(() => {}))]);
    const outcome = call('{"text":"hi"}');
    await clock.waiting((ms) => ms === 60_000);
    await clock.advance(60_000);
    expect(await outcome).toMatchObject({ isError: true, text: "The tool did not answer within 60 s." });
  });

  it("rejects with the turn's reason when the turn is aborted, also past a tool that does not listen", async () => {
    const { call, controller, clock } = setUp([failing(() => new Promise(() => {}))]);
    const outcome = call('{"text":"hi"}');
    await clock.waiting();
    controller.abort(new Error("stopped"));
    await expect(outcome).rejects.toThrow("stopped");
    expect(clock.pending()).toEqual([]);
  });

  it("shows the model a JSON Schema of the arguments", () => {
    expect(toolSpecs([echo as ToolDefinition])).toMatchObject([
      { name: "echo", parameters: { type: "object", required: ["text"], properties: { text: { type: "string" } } } },
    ]);
  });
});

describe("the now tool", () => {
  const run = async (zone?: string) =>
    nowTool.run(zone === undefined ? {} : { zone }, {
      clock: createVirtualClock(NEW_YEAR),
      conversation: DIRECT,
      agent: "aria",
      signal: new AbortController().signal,
    });

  it("tells the time in a zone, in UTC without one, and says which zones there are", async () => {
    expect(await run()).toBe("Thursday, 1 January 2026 at 00:00:00 UTC (2026-01-01T00:00:00.000Z)");
    expect(await run("Asia/Tokyo")).toContain("09:00:00");
    expect(await run("Mars/Olympus")).toContain("no time zone");
  });
});
