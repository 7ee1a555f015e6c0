import { describe, expect, it } from "vitest";
import { systemClock } from "./clock.ts";

describe("the machine's clock", () => {
  it("sleeps, and runs timers once", async () => {
    const before = systemClock.monotonic();
    await systemClock.sleep(5);
    expect(systemClock.monotonic()).toBeGreaterThan(before);
    await new Promise<void>((resolve) => void systemClock.timer(1, resolve));
    expect(Number.isInteger(systemClock.now())).toBe(true);
  });

  it("rejects a sleep with the signal's reason when it aborts, before or during", async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort("before"))).rejects.toBe("before");
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort("during");
    await expect(sleeping).rejects.toBe("during");
  });

  it("runs no timer that was cancelled", async () => {
    let ran = false;
    systemClock.timer(1, () => (ran = true))();
    await systemClock.sleep(10);
    expect(ran).toBe(false);
  });
});
