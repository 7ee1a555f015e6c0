import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { expect, it } from "vitest";
import { releaseIdleMemory } from "./idle-memory.ts";

it("gives memory back once per quiet time, and never while messages come", async () => {
  const clock = createVirtualClock();
  let last = 0;
  let collections = 0;
  const stop = releaseIdleMemory({ clock, lastActivity: () => last, collect: () => (collections += 1) });
  await clock.advance(60_000);
  expect(collections, "after start-up").toBe(1);
  for (let second = 0; second < 60; second += 1) {
    last = clock.now();
    await clock.advance(1000);
  }
  expect(collections, "in a busy minute").toBe(1);
  await clock.advance(60_000);
  expect(collections, "after it").toBe(2);
  stop();
  last = clock.now();
  await clock.advance(60_000);
  expect(collections).toBe(2);
});
