import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { followAbort } from "./follow-abort.ts";

describe("following a signal", () => {
  it("aborts with it, for its reason", () => {
    const leader = new AbortController();
    const { controller } = followAbort(leader.signal);
    leader.abort("enough");
    expect(controller.signal.reason).toBe("enough");
    expect(followAbort(leader.signal).controller.signal.reason).toBe("enough");
  });

  it("ends when it is released, and never reaches back", () => {
    const leader = new AbortController();
    const released = followAbort(leader.signal);
    released.release();
    followAbort(leader.signal).controller.abort();
    expect(leader.signal.aborted).toBe(false);
    leader.abort();
    expect(released.controller.signal.aborted).toBe(false);
  });

  it("costs one listener, however many follow", () => {
    const leader = new AbortController();
    for (let i = 0; i < 100; i += 1) followAbort(leader.signal);
    expect(getEventListeners(leader.signal, "abort")).toHaveLength(1);
  });

  it("works without a signal", () => {
    expect(followAbort(undefined).controller.signal.aborted).toBe(false);
  });
});
