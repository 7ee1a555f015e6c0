import { setMaxListeners } from "node:events";
import type { RateCaps } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { turnOfLoop } from "../fake-wait.ts";
import type { SendPriority } from "./account-rate.ts";
import { createRates } from "./rates.ts";

const place = (id: string, account = "main") => ({ channel: "fake", account, id });

function setUp(caps: RateCaps = {}) {
  const clock = createVirtualClock();
  const rates = createRates({ clock, capsOf: () => caps });
  const gone: string[] = [];
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const enter = (name: string, where = place(name), priority: SendPriority = "final"): void => {
    void rates.enter(where, priority, signal).then(() => gone.push(name));
  };
  return { clock, rates, gone, enter };
}

describe("the rates", () => {
  it("start open: whatever comes goes at once", async () => {
    const { gone, enter } = setUp();
    for (let n = 0; n < 500; n += 1) enter(`chat ${n % 3}`);
    await turnOfLoop();
    expect(gone).toHaveLength(500);
  });

  it("of a chat that was limited rest for as long as the platform says, and no other chat waits", async () => {
    const { clock, rates, gone, enter } = setUp();
    rates.limited(place("a"), "chat", 3000);
    enter("a");
    enter("b");
    await turnOfLoop();
    expect(gone).toEqual(["b"]);
    await clock.advance(2999);
    expect(gone).toEqual(["b"]);
    await clock.advance(1);
    expect(gone).toEqual(["b", "a"]);
  });

  it("of an account that was limited rest as a whole, and no other account waits", async () => {
    const { clock, rates, gone, enter } = setUp();
    rates.limited(place("a"), "account", 3000);
    enter("a");
    enter("b");
    enter("elsewhere", place("b", "other"));
    await turnOfLoop();
    expect(gone).toEqual(["elsewhere"]);
    await clock.advance(3000);
    expect(gone).toEqual(["elsewhere", "a", "b"]);
  });

  it("let the end of an answer go before its beginnings, and those before tools and edits", async () => {
    const { clock, rates, gone, enter } = setUp();
    rates.limited(place("x"), "account", 1000);
    for (const priority of ["edit", "tool", "block", "final"] as const) enter(priority, place(priority), priority);
    enter("final 2", place("final 2"), "final");
    await clock.advance(1000);
    expect(gone).toEqual(["final", "final 2", "block", "tool", "edit"]);
  });

  it("of an account that was limited keep for a while to what had passed, and open again", async () => {
    const { clock, rates, gone, enter } = setUp();
    for (let n = 0; n < 20; n += 1) enter(`before ${n}`);
    rates.limited(place("x"), "account", 1000);
    for (let n = 0; n < 100; n += 1) enter(`after ${n}`);
    await clock.advance(1000);
    const atOnce = gone.length - 20;
    expect(atOnce).toBeLessThanOrEqual(20);
    await clock.advance(1000);
    expect(gone.length - 20 - atOnce).toBeLessThanOrEqual(20);
    await clock.advance(3000);
    expect(gone).toHaveLength(120);
    await clock.advance(30_000);
    for (let n = 0; n < 100; n += 1) enter(`later ${n}`);
    await turnOfLoop();
    expect(gone).toHaveLength(220);
  });

  it("can be capped by the operator, for all chats and for each", async () => {
    const { clock, gone, enter } = setUp({ perSecond: 10, perChatPerSecond: 1 });
    for (let n = 0; n < 5; n += 1) enter("a");
    for (let n = 0; n < 30; n += 1) enter(`other ${n}`);
    await turnOfLoop();
    expect(gone).toHaveLength(10);
    expect(gone.filter((name) => name === "a")).toHaveLength(1);
    await clock.advance(2500);
    expect(gone).toHaveLength(35 - 2);
    expect(gone.filter((name) => name === "a")).toHaveLength(3);
    await clock.advance(2000);
    expect(gone).toHaveLength(35);
  });

  it("drop what is only for show while anything waits or rests", async () => {
    const { clock, rates, enter } = setUp();
    expect(rates.tryEnter(place("a"))).toBe(true);
    rates.limited(place("a"), "chat", 1000);
    expect(rates.tryEnter(place("a"))).toBe(false);
    expect(rates.admits(place("b"))).toBe(true);
    enter("a");
    expect(rates.admits(place("b"))).toBe(false);
    await clock.advance(1000);
    expect(rates.admits(place("b"))).toBe(true);
  });

  it("count an edit towards a cap, and typing not", () => {
    const { rates } = setUp({ perChatPerSecond: 1 });
    expect([rates.admits(place("a")), rates.admits(place("a"))]).toEqual([true, true]);
    expect([rates.tryEnter(place("a")), rates.tryEnter(place("a"))]).toEqual([true, false]);
  });

  it("forget whoever stops waiting", async () => {
    const { clock, rates, gone, enter } = setUp();
    rates.limited(place("a"), "chat", 1000);
    const stop = new AbortController();
    const waiting = rates.enter(place("a"), "final", stop.signal);
    stop.abort(new RangeError("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(rates.enter(place("b"), "final", stop.signal)).rejects.toThrow("enough");
    enter("a");
    await clock.advance(1000);
    expect(gone).toEqual(["a"]);
    expect(clock.pending()).toEqual([]);
  });

  it("remember a bounded number of chats, the resting ones for sure", async () => {
    const { clock, rates, gone, enter } = setUp();
    rates.limited(place("kept"), "chat", 60_000);
    for (let n = 0; n < 5000; n += 1) rates.limited(place(`chat ${n}`), "chat", 1);
    await clock.advance(10);
    for (let n = 0; n < 5000; n += 1) rates.limited(place(`more ${n}`), "chat", 1);
    enter("kept");
    await clock.advance(1000);
    expect(gone).toEqual([]);
  });
});
