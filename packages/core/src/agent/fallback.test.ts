import { type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";
import { callTool, end, fail, hang, say, think } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { turnOfLoop } from "../fake-wait.ts";
import { TurnAborted } from "../lanes/abort.ts";
import { fakeRun } from "./fake-run.ts";

const BOTH = ["script/one", "other/two"];

const error = (code: ErrorCode, options: { retryable?: boolean; retryAfterMs?: number } = {}) =>
  new GatewayError(code, { detail: { provider: "script", model: "one" }, ...options });
const transient = fail(error("MODEL_OVERLOADED", { retryable: true }));
const limited = (retryAfterMs: number) => error("MODEL_RATE_LIMITED", { retryable: true, retryAfterMs });

describe("the candidates of an agent", () => {
  it("answer in order: the first that can", async () => {
    const { script, start, short, asked } = fakeRun(["script/one", "other/two", "third/x"], { third: {} });
    script.next(fail(error("MODEL_AUTH")));
    await start();
    expect(short()).toEqual([
      "model script/one",
      "failed script/one MODEL_AUTH",
      "model other/two",
      "text echo: hi",
      "message-end",
      "done other/two",
    ]);
    expect(asked).toEqual(["script", "other"]);
  });

  it.each(["MODEL_BILLING", "MODEL_BAD_REQUEST", "MODEL_UNKNOWN", "MODEL_BAD_RESPONSE", "MODEL_REFUSED"] as const)(
    "give way to the next one after %s, at once",
    async (code) => {
      const { script, start, short, asked } = fakeRun(BOTH);
      script.next(fail(error(code)));
      await start();
      expect(short().at(-1)).toBe("done other/two");
      expect(asked).toEqual(["script", "other"]);
    },
  );

  it("give way to the next one when the answer ends as a refusal", async () => {
    const { script, start, short } = fakeRun(BOTH);
    script.next(end("refusal"));
    await start();
    expect(short().slice(0, 3)).toEqual(["model script/one", "failed script/one MODEL_REFUSED", "model other/two"]);
  });

  it("give way when they exist nowhere", async () => {
    const { start, short } = fakeRun(["nowhere/x", "other/two"]);
    await start();
    expect(short()).toContain("failed nowhere/x MODEL_UNKNOWN");
    expect(short().at(-1)).toBe("done other/two");
  });

  it("are asked once more when they broke off before they said anything, and one event tells of each attempt", async () => {
    const { clock, script, start, short } = fakeRun(BOTH);
    script.next(think("hm"), transient);
    script.next(say("here"));
    const done = start();
    await clock.waiting((ms) => ms === 250);
    await clock.advance(250);
    await done;
    expect(short()).toEqual([
      "model script/one",
      "reasoning",
      "failed script/one MODEL_OVERLOADED",
      "model script/one",
      "text here",
      "message-end",
      "done script/one",
    ]);
  });

  it("give way after two passing failures", async () => {
    const { clock, script, start, short, asked } = fakeRun(BOTH);
    script.next(transient);
    script.next(transient);
    const done = start();
    await clock.waiting((ms) => ms === 250);
    await clock.advance(250);
    await done;
    expect(asked).toEqual(["script", "script", "other"]);
    expect(short().at(-1)).toBe("done other/two");
  });

  it("are waited for when a rate limit ends within five seconds, and passed over when it does not", async () => {
    const soon = fakeRun(BOTH);
    soon.script.next(fail(limited(5000)));
    const done = soon.start();
    await soon.clock.waiting((ms) => ms === 5000);
    await soon.clock.advance(5000);
    await done;
    expect(soon.asked).toEqual(["script", "script"]);

    const late = fakeRun(BOTH);
    late.script.next(fail(limited(5001)));
    await late.start();
    expect(late.asked).toEqual(["script", "other"]);
  });

  it("are not asked while their provider rests, and the record says why", async () => {
    const resting = limited(60_000);
    const { start, short, asked } = fakeRun(BOTH, { script: { unavailable: () => resting } });
    await start();
    expect(asked).toEqual(["other"]);
    expect(short().slice(0, 2)).toEqual(["failed script/one MODEL_RATE_LIMITED", "model other/two"]);

    await expect(fakeRun(["script/one"], { script: { unavailable: () => resting } }).start()).rejects.toBe(resting);
  });

  it("are waited for when their provider rests shortly", async () => {
    const { clock, start, asked } = fakeRun(BOTH, { script: { unavailable: () => limited(5000) } });
    const done = start();
    await clock.waiting((ms) => ms === 5000);
    expect(asked).toEqual([]);
    await clock.advance(5000);
    await done;
    expect(asked).toEqual(["script"]);
  });

  it("end with the last error when all fail", async () => {
    const last = error("MODEL_NETWORK");
    const { script, other, start, short } = fakeRun(BOTH);
    script.next(fail(error("MODEL_AUTH")));
    other.next(fail(last));
    await expect(start()).rejects.toBe(last);
    expect(short()).toEqual(["model script/one", "failed script/one MODEL_AUTH", "model other/two", "failed other/two MODEL_NETWORK"]);
  });

  it.each(["MODEL_NETWORK", "MODEL_TIMEOUT", "MODEL_OVERLOADED", "MODEL_REFUSED", "MODEL_BAD_RESPONSE"] as const)(
    "give way after %s in the middle of an answer of which nobody has seen anything",
    async (code) => {
      const { script, other, start, short } = fakeRun(BOTH);
      script.next(say("Once upon"), fail(error(code)));
      other.next(say("A whole answer."));
      await start({ isSeen: () => false });
      expect(short()).toEqual([
        "model script/one",
        "text Once upon",
        `failed script/one ${code}`,
        "model other/two",
        "text A whole answer.",
        "message-end",
        "done other/two",
      ]);
    },
  );

  it("give way before the first word, whatever else of the turn was seen", async () => {
    const { script, start, asked } = fakeRun(BOTH);
    script.next(fail(error("MODEL_NETWORK")));
    await start({ isSeen: () => true });
    expect(asked).toEqual(["script", "other"]);
  });

  it("do not give way once something was seen: no answer starts again from the top", async () => {
    const broken = error("MODEL_NETWORK", { retryable: true });
    const { script, start, short, asked } = fakeRun(BOTH);
    script.next(say("Once upon"), fail(broken));
    await expect(start()).rejects.toBe(broken);
    expect(short()).toEqual(["model script/one", "text Once upon", "failed script/one MODEL_NETWORK"]);
    expect(asked).toEqual(["script"]);
  });

  it("are not tried one after the other over a fault of the gateway", async () => {
    const { script, start, asked } = fakeRun(BOTH);
    script.next(fail(new TypeError("undefined is not a function")));
    await expect(start()).rejects.toMatchObject({ code: "GATEWAY_BUG" });
    expect(asked).toEqual(["script"]);
  });

  it("keep the rest of the turn once they have answered a step", async () => {
    const { script, other, start, short, asked } = fakeRun(BOTH);
    script.next(fail(error("MODEL_AUTH")));
    other.next(callTool("none"));
    await start();
    expect(asked).toEqual(["script", "other", "other"]);
    expect(short().filter((event) => event.startsWith("model"))).toEqual(["model script/one", "model other/two"]);
  });

  it.each([
    ["that waits", hang()],
    ["that does not listen", hang({ deaf: true })],
  ])("are left alone once the person has stopped the turn, also during a call %s", async (_, step) => {
    const { script, start, controller, asked } = fakeRun(BOTH);
    const reason = new TurnAborted("user");
    script.next(say("so far"), step);
    const done = start();
    await script.called(1);
    await turnOfLoop();
    controller.abort(reason);
    await expect(done).rejects.toBe(reason);
    expect(asked).toEqual(["script"]);
  });

  it("are not waited for once the person has stopped the turn", async () => {
    const { clock, script, start, controller } = fakeRun();
    script.next(transient);
    const done = start();
    await clock.waiting();
    controller.abort(new TurnAborted("user"));
    await expect(done).rejects.toBeInstanceOf(TurnAborted);
    expect(clock.pending()).toEqual([]);
  });
});

describe("a conversation that is too long", () => {
  const overflow = fail(error("MODEL_CONTEXT_OVERFLOW"));
  const small = { info: { contextWindow: 8000 } };

  it("goes to a model that holds more", async () => {
    const about = { script: small, same: small, unknown: { info: {} }, large: { info: { contextWindow: 200_000 } } };
    const { script, start, short, asked } = fakeRun(["script/one", "same/x", "unknown/x", "large/x"], about);
    script.next(overflow);
    await start();
    expect(short().at(-1)).toBe("done large/x");
    expect(asked).toEqual(["script", "large"]);
  });

  it("is said to be too long when no model is known to hold more", async () => {
    const { script, start, asked } = fakeRun(["script/one", "unknown/x"], { script: small, unknown: { info: {} } });
    script.next(overflow);
    await expect(start()).rejects.toMatchObject({ code: "MODEL_CONTEXT_OVERFLOW" });
    expect(asked).toEqual(["script"]);
  });
});
