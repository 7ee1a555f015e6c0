import { createHooks } from "@trunkline/core";
import { type Hooks, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock, type VirtualClock } from "@trunkline/plugin-sdk/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { giveMemoryBackWhenQuiet } from "./quiet-memory.ts";

let clock: VirtualClock;
let hooks: Hooks;
let collections: number;

beforeEach(() => {
  clock = createVirtualClock();
  hooks = createHooks(clock, silentLogger);
  collections = 0;
  giveMemoryBackWhenQuiet(hooks, clock, () => (collections += 1));
});

async function sentPart(): Promise<void> {
  hooks.emit("delivery:sent", { part: "ob_1", messageId: "1" });
  await Promise.resolve();
}

describe("memory after work", () => {
  it("is given back once, ten seconds after the last part was sent", async () => {
    await sentPart();
    await clock.advance(9_000);
    await sentPart();
    await clock.advance(9_999);
    expect(collections).toBe(0);
    await clock.advance(1);
    expect(collections).toBe(1);
    await clock.advance(3_600_000);
    expect(collections).toBe(1);
  });

  it("is given back again after the next work", async () => {
    await sentPart();
    await clock.advance(10_000);
    await sentPart();
    await clock.advance(10_000);
    expect(collections).toBe(2);
  });
});

describe("the collection itself", () => {
  it("is there without a flag at the start of the process", async () => {
    const own = createHooks(clock, silentLogger);
    giveMemoryBackWhenQuiet(own, clock);
    const kept = new WeakRef({ big: "object" });
    own.emit("gateway:ready", {});
    await new Promise((resolve) => setImmediate(resolve)); // a WeakRef holds its target until the present job is over
    await clock.advance(10_000);
    expect(kept.deref()).toBeUndefined();
  });
});
