import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { callTool, createGate, createScriptedModel, end, fail, hang, hold, say, think } from "./scripted-model.ts";

function request(signal = new AbortController().signal): ModelRequest {
  return { model: "one", messages: [{ role: "user", text: "hi" }], tools: [], thinking: "off", signal };
}

async function all(stream: AsyncIterable<ModelEvent>, into: ModelEvent[] = []): Promise<ModelEvent[]> {
  for await (const event of stream) into.push(event);
  return into;
}

const usage = { inputTokens: 10, outputTokens: 5 };

describe("the scripted model", () => {
  it("does what it is told, call by call, and echoes afterwards", async () => {
    const model = createScriptedModel();
    model.next(think("hm"), say("one"), callTool("now", { a: 1 }));
    model.next(say("two"), end("length"));
    expect(await all(model.stream(request()))).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "one" },
      { type: "tool-call", call: { id: "call_now", name: "now", args: '{"a":1}' } },
      { type: "end", reason: "tool-calls", usage },
    ]);
    expect(await all(model.stream(request()))).toEqual([
      { type: "text", delta: "two" },
      { type: "end", reason: "length" },
    ]);
    expect(await all(model.stream(request()))).toEqual([
      { type: "text", delta: "echo: hi" },
      { type: "end", reason: "stop", usage },
    ]);
    expect([model.requests.length, model.ended()]).toEqual([3, 3]);
  });

  it("waits at a gate until it is opened", async () => {
    const model = createScriptedModel();
    const gate = createGate();
    model.next(say("before"), hold(gate), say("after"));
    const seen: ModelEvent[] = [];
    const done = all(model.stream(request()), seen);
    await gate.reached;
    expect(seen).toHaveLength(1);
    gate.open();
    expect(await done).toHaveLength(3);
  });

  it("fails, and ends its waits when the call is aborted", async () => {
    const model = createScriptedModel();
    model.next(say("x"), fail(new Error("overloaded")));
    await expect(all(model.stream(request()))).rejects.toThrow("overloaded");
    for (const step of [hang(), hold(createGate())]) {
      const controller = new AbortController();
      model.next(step);
      const done = all(model.stream(request(controller.signal)));
      controller.abort(new Error("stopped"));
      await expect(done).rejects.toThrow("stopped");
    }
  });

  it("tells when a call has come", async () => {
    const model = createScriptedModel();
    const second = model.called(2);
    await all(model.stream(request()));
    expect(await model.called(1)).toBe(model.requests[0]);
    await all(model.stream(request()));
    expect(await second).toBe(model.requests[1]);
  });
});
