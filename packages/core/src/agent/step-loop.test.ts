import {
  type AgentEvent,
  type AgentRun,
  GatewayError,
  type ModelInfo,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  silentLogger,
} from "@trunkline/plugin-sdk";
import { createScriptedModel, createVirtualClock, end, fail, hang, say, type ScriptStep } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createModelRegistry } from "../providers/registry.ts";
import { createStepLoop } from "./step-loop.ts";

interface Candidate {
  readonly info?: ModelInfo;
  readonly unavailable?: () => GatewayError | undefined;
  /** The steps of its calls, one after the other; the last again and again. */
  readonly calls: readonly (readonly ScriptStep[])[];
}

function setUp(candidates: Readonly<Record<string, Candidate>>) {
  const clock = createVirtualClock();
  const asked: string[] = [];
  const requests: ModelRequest[] = [];
  const providers = Object.entries(candidates).map(([id, { info = {}, unavailable, calls }]): ModelProvider => {
    let n = 0;
    const scripted = createScriptedModel({ id, otherwise: () => calls[Math.min(n++, calls.length - 1)] ?? [] });
    return {
      id,
      about: () => info,
      ...(unavailable === undefined ? {} : { unavailable }),
      stream(request) {
        asked.push(id);
        requests.push(request);
        return scripted.stream(request);
      },
    };
  });
  const loop = createStepLoop({ models: createModelRegistry(providers), clock, logger: silentLogger });
  const stop = new AbortController();
  const run = async (extra: Partial<AgentRun> = {}) => {
    const events: AgentEvent[] = [];
    let error: unknown;
    const request: AgentRun = {
      turn: "turn_1",
      agent: "aria",
      conversation: { channel: "web", account: "main", kind: "direct", id: "1" },
      models: Object.keys(candidates).map((id) => `${id}/x`),
      messages: [{ role: "user", text: "Hello" }],
      tools: [],
      signal: stop.signal,
      ...extra,
    };
    try {
      for await (const event of loop.run(request)) events.push(event);
    } catch (thrown) {
      error = thrown;
    }
    const done = events.find((event) => event.type === "done");
    return {
      events,
      error,
      done,
      failed: events.flatMap((event) => (event.type === "model-failed" ? [`${event.model} ${event.code}`] : [])),
    };
  };
  return { clock, loop, asked, requests, run, stop };
}

const error = (code: GatewayError["code"], options: ConstructorParameters<typeof GatewayError>[1] = {}) => new GatewayError(code, options);
const answer: Candidate = { calls: [[say("Here I am.")]] };

describe("the candidates of an agent", () => {
  it("answer in order: the first that can", async () => {
    const world = setUp({ a: { calls: [[fail(error("MODEL_AUTH"))]] }, b: answer, c: answer });
    const { done, events, failed } = await world.run();
    expect(done).toMatchObject({ model: "b/x" });
    expect(world.asked).toEqual(["a", "b"]);
    expect(failed).toEqual(["a/x MODEL_AUTH"]);
    expect(events.filter(({ type }) => type === "model-selected")).toEqual([
      { type: "model-selected", model: "a/x" },
      { type: "model-selected", model: "b/x" },
    ]);
  });

  it.each(["MODEL_BILLING", "MODEL_BAD_REQUEST", "MODEL_UNKNOWN", "MODEL_BAD_RESPONSE", "MODEL_REFUSED"] as const)(
    "give way to the next one after %s",
    async (code) => {
      const world = setUp({ a: { calls: [[fail(error(code))]] }, b: answer });
      expect((await world.run()).done).toMatchObject({ model: "b/x" });
      expect(world.asked).toEqual(["a", "b"]);
    },
  );

  it("give way to the next one when the answer ends as a refusal", async () => {
    const world = setUp({ a: { calls: [[end("refusal")]] }, b: answer });
    expect((await world.run()).done).toMatchObject({ model: "b/x" });
  });

  it("are asked twice when it was a passing failure, and one event tells of each attempt", async () => {
    const world = setUp({ a: { calls: [[fail(error("MODEL_OVERLOADED", { retryable: true }))], [say("Back again.")]] } });
    const running = world.run();
    await world.clock.advance(await world.clock.waiting());
    const { events, done } = await running;
    expect(done).toMatchObject({ model: "a/x" });
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual(["model-selected", "model-failed", "model-selected"]);
  });

  it("are waited for when a rate limit ends soon, and passed over when it does not", async () => {
    const limited = (retryAfterMs: number) => ({
      calls: [[fail(error("MODEL_RATE_LIMITED", { retryable: true, retryAfterMs }))], [say("Thanks for waiting.")]],
    });
    const soon = setUp({ a: limited(3000), b: answer });
    const running = soon.run();
    expect(await soon.clock.waiting()).toBe(3000);
    await soon.clock.advance(3000);
    expect((await running).done).toMatchObject({ model: "a/x" });

    const late = setUp({ a: limited(60_000), b: answer });
    expect((await late.run()).done).toMatchObject({ model: "b/x" });
  });

  it("are not asked while their provider rests, and the record says why", async () => {
    const resting = error("MODEL_RATE_LIMITED", { retryable: true, retryAfterMs: 60_000 });
    const world = setUp({ a: { ...answer, unavailable: () => resting }, b: answer });
    const { done, failed, events } = await world.run();
    expect(done).toMatchObject({ model: "b/x" });
    expect(world.asked).toEqual(["b"]);
    expect(failed).toEqual(["a/x MODEL_RATE_LIMITED"]);
    expect(events).not.toContainEqual({ type: "model-selected", model: "a/x" });

    const alone = setUp({ a: { ...answer, unavailable: () => resting } });
    expect((await alone.run()).error).toBe(resting);
  });

  it("end with the last error when all fail", async () => {
    const last = error("MODEL_AUTH");
    const world = setUp({ a: { calls: [[fail(error("MODEL_BAD_REQUEST"))]] }, b: { calls: [[fail(last)]] } });
    const { error: thrown, failed } = await world.run();
    expect(thrown).toBe(last);
    expect(failed).toEqual(["a/x MODEL_BAD_REQUEST", "b/x MODEL_AUTH"]);
  });

  it("do not start an answer again that was seen", async () => {
    const broken = error("MODEL_NETWORK", { retryable: true });
    const world = setUp({ a: { calls: [[say("Half an"), fail(broken)]] }, b: answer });
    expect((await world.run()).error).toBe(broken);
    expect(world.asked).toEqual(["a"]);
  });

  it("are not tried one after the other over a fault of the gateway", async () => {
    const world = setUp({ a: { calls: [[fail(new TypeError("x is not a function"))]] }, b: answer });
    expect((await world.run()).error).toMatchObject({ code: "GATEWAY_BUG" });
    expect(world.asked).toEqual(["a"]);
  });

  it("are left alone once the person has stopped the turn", async () => {
    const world = setUp({ a: { calls: [[hang({ deaf: true })]] }, b: answer });
    const reason = new Error("stopped");
    const running = world.run();
    await Promise.resolve();
    world.stop.abort(reason);
    expect((await running).error).toBe(reason);
    expect(world.asked).toEqual(["a"]);
  });
});

describe("a conversation that is too long", () => {
  const overflow = { calls: [[fail(error("MODEL_CONTEXT_OVERFLOW"))]] };

  it("goes to a model that holds more", async () => {
    const world = setUp({
      small: { ...overflow, info: { contextWindow: 8000 } },
      same: { ...answer, info: { contextWindow: 8000 } },
      unknown: answer,
      large: { ...answer, info: { contextWindow: 200_000 } },
    });
    expect((await world.run()).done).toMatchObject({ model: "large/x" });
    expect(world.asked).toEqual(["small", "large"]);
  });

  it("is said to be too long when no model is known to hold more", async () => {
    const world = setUp({ small: { ...overflow, info: { contextWindow: 8000 } }, unknown: answer });
    expect((await world.run()).error).toMatchObject({ code: "MODEL_CONTEXT_OVERFLOW" });
    expect(world.asked).toEqual(["small"]);
  });
});

describe("what a model gets to read", () => {
  const image = { mimeType: "image/png", base64: "AAAA", name: "cat.png" };
  const withImage: ModelMessage = { role: "user", text: "Look", images: [image] };

  it("has images where the model sees, and their names where it does not", async () => {
    const world = setUp({
      blind: { calls: [[fail(error("MODEL_AUTH"))]], info: { input: ["text"] } },
      seeing: { ...answer, info: { input: ["text", "image"] } },
    });
    await world.run({ messages: [withImage] });
    expect(world.requests[0]?.messages).toEqual([{ role: "user", text: expect.stringMatching(/^Look\n\(attached file: .*cat\.png.*\)$/) }]);
    expect(world.requests[1]?.messages).toEqual([withImage]);
    expect(world.loop.seesImages?.(["blind/x"])).toBe(false);
    expect(world.loop.seesImages?.(["blind/x", "seeing/x"])).toBe(true);
  });

  it("has what it attached to its own answers, and not what another model did", async () => {
    const world = setUp({ a: answer });
    const own: ModelMessage = { role: "assistant", text: "Yes.", opaque: { model: "a/x", data: ["sig"] } };
    const others: ModelMessage = { role: "assistant", text: "No.", opaque: { model: "a/y", data: ["sig"] } };
    await world.run({ messages: [{ role: "user", text: "1" }, own, { role: "user", text: "2" }, others, { role: "user", text: "3" }] });
    expect(world.requests[0]?.messages[1]).toEqual(own);
    expect(world.requests[0]?.messages[3]).toEqual({ role: "assistant", text: "No." });
  });

  it("asks for the agent's thinking level, else for the model's own", async () => {
    const candidates = { a: { ...answer, info: { defaultThinking: "high" as const } } };
    const world = setUp(candidates);
    await world.run({ thinking: "medium" });
    await world.run();
    expect(world.requests.map(({ thinking }) => thinking)).toEqual(["medium", "high"]);
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
    const conversation = { channel: "web", account: "main", kind: "direct", id: "1" } as const;
    const signal = new AbortController().signal;
    for await (const event of loop.run({ turn: "t", agent: "a", conversation, models: ["a/x"], messages: [], tools: [], signal }))
      events.push(event);
    const message = kept ? { role: "assistant", text: "Hi.", opaque: { model: "a/x", data } } : { role: "assistant", text: "Hi." };
    expect(events.at(-1)).toEqual({
      type: "done",
      messages: [message],
      model: "a/x",
      usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 1 },
    });
  });
});
