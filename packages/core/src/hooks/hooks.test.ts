import { type LogFields, type Logger, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { fakeMessage } from "../fake-message.ts";
import { turnOfLoop } from "../fake-wait.ts";
import { createHooks } from "./hooks.ts";

function setUp() {
  const clock = createVirtualClock();
  const warnings: LogFields[] = [];
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };
  return { clock, warnings, hooks: createHooks(clock, logger) };
}

const message = fakeMessage({ text: "hello" });

describe("filters", () => {
  it("change a value one after the other, in the order in which they came", async () => {
    const { hooks, clock } = setUp();
    hooks.filter("inbound:before", (value) => ({ ...value, text: `${value.text} one` }));
    hooks.filter("inbound:before", async (value) => ({ ...value, text: `${value.text} two` }));
    expect((await hooks.apply("inbound:before", message))?.text).toBe("hello one two");
    expect(clock.pending()).toEqual([]);
  });

  it("drop a value with null, and those behind are not asked", async () => {
    const { hooks } = setUp();
    let asked = false;
    hooks.filter("inbound:before", () => null);
    hooks.filter("inbound:before", (value) => {
      asked = true;
      return value;
    });
    expect(await hooks.apply("inbound:before", message)).toBeNull();
    expect(asked).toBe(false);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("close when one %s: the value is dropped, and the log says so", async (_, filter) => {
    const { hooks, warnings } = setUp();
    hooks.filter("inbound:before", filter);
    expect(await hooks.apply("inbound:before", message)).toBeNull();
    expect(warnings).toEqual([{ hook: "inbound:before", error: "Error: broken" }]);
  });

  it("close when one takes more than two seconds", async () => {
    const { hooks, clock } = setUp();
    hooks.filter("inbound:before", () => new Promise(() => {}));
    const answer = hooks.apply("inbound:before", message);
    await clock.advance(2000);
    expect(await answer).toBeNull();
  });

  it("can be taken back", async () => {
    const { hooks } = setUp();
    const undo = hooks.filter("inbound:before", () => null);
    undo();
    expect(await hooks.apply("inbound:before", message)).toBe(message);
  });
});

describe("observers", () => {
  it("are told later, each by itself; one that fails is logged and disturbs nobody", async () => {
    const { hooks, warnings } = setUp();
    const seen: string[] = [];
    hooks.observe("session:reset", () => {
      throw new Error("broken");
    });
    const undo = hooks.observe("session:reset", ({ why }) => void seen.push(why));
    hooks.emit("session:reset", { sessionKey: "s", why: "first" });
    expect(seen).toEqual([]);
    await turnOfLoop();
    expect(seen).toEqual(["first"]);
    expect(warnings).toHaveLength(1);
    undo();
    hooks.emit("session:reset", { sessionKey: "s", why: "second" });
    await turnOfLoop();
    expect(seen).toEqual(["first"]);
  });
});
