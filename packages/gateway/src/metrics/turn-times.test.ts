import { createHooks } from "@trunkline/core";
import { silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import { createTurnTimes } from "./turn-times.ts";

const START = 1_800_000_000_000;

function rig() {
  const clock = createVirtualClock(START);
  const hooks = createHooks(clock, silentLogger);
  const registry = new Registry();
  const times = createTurnTimes(registry, clock);
  times.watch(hooks);
  /** Observers run after who emits; then the value of a line. */
  const value = async (line: string): Promise<number | undefined> => {
    await clock.advance(0);
    const found = (await registry.metrics()).split("\n").find((each) => each.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  return { clock, hooks, times, value };
}

let world: ReturnType<typeof rig>;
beforeEach(() => {
  world = rig();
});

describe("a turn", () => {
  it("is measured from acceptance to the outcome, and what of it was neither waiting nor the model's time", async () => {
    const { clock, hooks, times, value } = world;
    await clock.advance(3000);
    hooks.emit("turn:started", { id: "in_1", turn: "tn_1", receivedAt: START });
    await clock.advance(2000);
    times.modelCall({ turn: "tn_1", model: "a/b", ms: 1900 });
    hooks.emit("turn:ended", { id: "in_1", turn: "tn_1", disposition: "replied", parts: 2 });
    await clock.advance(500);
    hooks.emit("delivery:sent", { part: "ob_1", turn: "tn_1", messageId: "1" });
    hooks.emit("delivery:sent", { part: "ob_2", turn: "tn_1", messageId: "2" });
    expect(await value('trunkline_turns_total{disposition="replied"}')).toBe(1);
    expect(await value("trunkline_queue_wait_seconds_sum")).toBe(3);
    expect(await value('trunkline_turn_seconds_sum{disposition="replied"}')).toBe(2);
    expect(await value("trunkline_first_visible_seconds_sum")).toBe(5.5);
    expect(await value("trunkline_gateway_overhead_seconds_count")).toBe(1);
    expect(await value("trunkline_gateway_overhead_seconds_sum")).toBeCloseTo(0.6);
  });

  it("is visible with the first words of its preview, once", async () => {
    const { clock, hooks, value } = world;
    hooks.emit("turn:started", { id: "in_1", turn: "tn_1", receivedAt: START });
    await clock.advance(1000);
    hooks.emit("turn:visible", { turn: "tn_1" });
    await clock.advance(1000);
    hooks.emit("turn:ended", { id: "in_1", turn: "tn_1", disposition: "aborted", parts: 1 });
    hooks.emit("delivery:sent", { part: "ob_1", turn: "tn_1", messageId: "1" });
    expect(await value("trunkline_first_visible_seconds_sum")).toBe(1);
    expect(await value("trunkline_first_visible_seconds_count")).toBe(1);
  });

  it("may be delivered before it is known to have ended", async () => {
    const { clock, hooks, value } = world;
    hooks.emit("turn:started", { id: "in_1", turn: "tn_1", receivedAt: START });
    await clock.advance(100);
    hooks.emit("delivery:sent", { part: "ob_1", turn: "tn_1", messageId: "1" });
    hooks.emit("turn:ended", { id: "in_1", turn: "tn_1", disposition: "replied", parts: 1 });
    hooks.emit("delivery:sent", { part: "ob_2", turn: "tn_1", messageId: "2" });
    expect(await value("trunkline_gateway_overhead_seconds_sum")).toBeCloseTo(0.1);
    expect(await value("trunkline_gateway_overhead_seconds_count")).toBe(1);
    expect(await value('trunkline_turns_total{disposition="replied"}')).toBe(1);
  });

  it("that nobody sees, and a part that is no answer, are not measured as if they were", async () => {
    const { hooks, value } = world;
    hooks.emit("turn:started", { id: "in_1", turn: "tn_1", receivedAt: START });
    hooks.emit("turn:ended", { id: "in_1", turn: "tn_1", disposition: "silent", parts: 0 });
    hooks.emit("turn:started", { id: "in_2", turn: "tn_2", receivedAt: START });
    hooks.emit("turn:ended", { id: "in_2", turn: "tn_2", disposition: "replied", parts: 1 });
    hooks.emit("delivery:dead", { part: "ob_1", turn: "tn_2", code: "DELIVERY_REFUSED" });
    hooks.emit("delivery:sent", { part: "ob_2", turn: "tn_2", messageId: "1" });
    hooks.emit("delivery:sent", { part: "ob_9", turn: null, messageId: "9" });
    expect(await value("trunkline_first_visible_seconds_count")).toBe(0);
    expect(await value("trunkline_gateway_overhead_seconds_count")).toBe(0);
    expect(await value('trunkline_turns_total{disposition="silent"}')).toBe(1);
  });
});
