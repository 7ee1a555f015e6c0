import { describe, expect, it } from "vitest";
import { createVirtualClock } from "./virtual-clock.ts";

describe("the virtual clock", () => {
  it("stands still until it is moved", async () => {
    const clock = createVirtualClock(1000);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it("runs timers at their time, in order, those of one instant as they were set", async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`);
    clock.timer(20, note("c"));
    clock.timer(10, note("a"));
    clock.timer(10, note("b"));
    clock.timer(30, note("never"))();
    clock.timer(31, note("later"));
    expect(clock.pending()).toEqual([10, 10, 20, 31]);
    await clock.advance(30);
    expect(seen).toEqual(["a@10", "b@10", "c@20"]);
    expect(clock.pending()).toEqual([1]);
  });

  it("runs what a timer sets within the same span", async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    void (async () => {
      for (;;) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    })();
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
  });

  it("rejects a sleep that is aborted, and forgets it", async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(10, controller.signal);
    controller.abort("stop");
    await expect(sleeping).rejects.toBe("stop");
    await expect(clock.sleep(10, controller.signal)).rejects.toBe("stop");
    expect(clock.pending()).toEqual([]);
  });

  it("tells when something waits", async () => {
    const clock = createVirtualClock();
    const long = clock.waiting((ms) => ms > 100);
    void clock.sleep(50);
    void clock.sleep(500);
    expect(await long).toBe(500);
    expect(await clock.waiting()).toBe(50);
  });
});
