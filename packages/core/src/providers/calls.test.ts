import { GatewayError, type ModelEvent, type ModelInfo, type ModelRequest, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { type CallTerms, createCalls } from "./calls.ts";
import { createCredentials } from "./credentials.ts";
import { createProviderErrors } from "./provider-errors.ts";

const OK: ModelEvent = { type: "end", reason: "stop" };

/** A provider whose calls do what `answer` says for the key and level that they come with. */
function setUp(keys: readonly string[], answer: (terms: CallTerms) => readonly ModelEvent[] | GatewayError, info?: ModelInfo) {
  const clock = createVirtualClock();
  const asked: string[] = [];
  const rested: unknown[] = [];
  const errors = (model: string) => createProviderErrors({ provider: "p", model, secrets: keys, clock });
  const calls = createCalls({
    id: "p",
    credentials: createCredentials(keys, clock),
    logger: { ...silentLogger, warn: (fields) => void rested.push(fields) },
    about: () => info,
    errors,
    async *call(_request, terms) {
      asked.push(terms.thinking === undefined ? terms.key : `${terms.key} ${terms.thinking}`);
      const result = answer(terms);
      if (result instanceof GatewayError) throw result;
      yield* result;
    },
  });
  const ask = async (thinking: ModelRequest["thinking"] = "low"): Promise<GatewayError | "answered"> => {
    try {
      const request = { model: "m", messages: [], tools: [], thinking, signal: new AbortController().signal };
      for await (const _event of calls.stream(request)) continue;
      return "answered";
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return error as GatewayError;
    }
  };
  const refuse = (status: number, body = "{}", headers = {}) => errors("m").refused(status, headers, body);
  return { clock, calls, ask, asked, rested, refuse };
}

describe("calls with several keys", () => {
  it.each([
    [401, "MODEL_AUTH"],
    [402, "MODEL_BILLING"],
    [429, "MODEL_RATE_LIMITED"],
  ])("take the next key after a %i, and remember it", async (status, code) => {
    const world = setUp(["bad", "good"], ({ key }) => (key === "bad" ? world.refuse(status) : [OK]));
    expect(await world.ask()).toBe("answered");
    expect(await world.ask()).toBe("answered");
    expect(world.asked).toEqual(["bad", "good", "good"]);
    expect(world.rested).toEqual([expect.objectContaining({ key: "key 1 of 2", code })]);
    expect(JSON.stringify(world.rested)).not.toContain("bad");
  });

  it("come back to a key when its rest is over", async () => {
    let limited = true;
    const world = setUp(["first", "second"], ({ key }) => (key === "first" && limited ? world.refuse(429) : [OK]));
    await world.ask();
    limited = false;
    await world.clock.advance(1000);
    await world.ask();
    expect(world.asked).toEqual(["first", "second", "first"]);
  });

  it("say when to come back when all keys are limited, and do not ask again before", async () => {
    const world = setUp(["a", "b"], ({ key }) => world.refuse(429, "{}", { "retry-after": key === "a" ? "20" : "30" }));
    expect(await world.ask()).toMatchObject({ code: "MODEL_RATE_LIMITED", retryable: true, retryAfterMs: 20_000 });
    expect(world.calls.unavailable("m")).toMatchObject({ code: "MODEL_RATE_LIMITED", retryAfterMs: 20_000 });
    await world.clock.advance(5000);
    expect(await world.ask()).toMatchObject({ code: "MODEL_RATE_LIMITED", retryAfterMs: 15_000 });
    expect(world.asked).toEqual(["a", "b"]);
    expect(world.calls.unavailable("another")).toBeUndefined();
  });

  it("do not blame a rate limit when every key was refused", async () => {
    const world = setUp(["a", "b"], () => world.refuse(401));
    expect(await world.ask()).toMatchObject({ code: "MODEL_AUTH", retryable: false });
    expect(await world.ask()).toMatchObject({ code: "MODEL_AUTH" });
    expect(world.asked).toEqual(["a", "b"]);
  });

  it("do not spend other keys on a failure that is not about the key", async () => {
    const world = setUp(["a", "b"], () => world.refuse(529));
    expect(await world.ask()).toMatchObject({ code: "MODEL_OVERLOADED" });
    expect(world.asked).toEqual(["a"]);
  });

  it("never start an answer again that was seen", async () => {
    const clock = createVirtualClock();
    const limited = createProviderErrors({ provider: "p", model: "m", secrets: [], clock }).refused(429, {}, "");
    const keys: string[] = [];
    const calls = createCalls({
      id: "p",
      credentials: createCredentials(["a", "b"], clock),
      logger: silentLogger,
      about: () => undefined,
      errors: () => createProviderErrors({ provider: "p", model: "m", secrets: [], clock }),
      async *call(_request, { key }) {
        keys.push(key);
        yield { type: "text", delta: "Half" };
        throw limited;
      },
    });
    const request = { model: "m", messages: [], tools: [], thinking: "low" as const, signal: new AbortController().signal };
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of calls.stream(request)) seen.push(event);
    })();
    await expect(reading).rejects.toBe(limited);
    expect(seen).toEqual([{ type: "text", delta: "Half" }]);
    expect(keys).toEqual(["a"]);
  });
});

describe("calls with a thinking level", () => {
  const refusal = `{"error":{"message":"Unsupported value for reasoning_effort. Supported values are: 'none', 'low'."}}`;

  it("say nothing to a model of which nothing is known", async () => {
    const world = setUp(["k"], () => [OK]);
    await world.ask("high");
    expect(world.asked).toEqual(["k"]);
  });

  it("learn from a refusal, ask again at once, and do not ask wrongly a second time", async () => {
    const world = setUp(["k"], ({ thinking }) => (thinking === "high" ? world.refuse(400, refusal) : [OK]), { thinking: ["low", "high"] });
    expect(await world.ask("high")).toBe("answered");
    expect(await world.ask("high")).toBe("answered");
    expect(world.asked).toEqual(["k high", "k low", "k low"]);
  });

  it("give up when the corrected level is refused too", async () => {
    const world = setUp(["k"], () => world.refuse(400, refusal), { thinking: ["low", "high"] });
    expect(await world.ask("high")).toMatchObject({ code: "MODEL_BAD_REQUEST" });
    expect(world.asked).toEqual(["k high", "k low"]);
  });
});
