import { describe, expect, it } from "vitest";
import { abortReasonOf, TurnAborted, untilAborted } from "./abort.ts";

describe("waiting for work that may not listen", () => {
  it("settles as the work does", async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  });

  it("rejects with the reason as soon as it is aborted, and a late failure of the work is nobody's", async () => {
    const controller = new AbortController();
    let breakOff: (error: Error) => void = () => {};
    const waiting = untilAborted(new Promise((_, reject) => (breakOff = reject)), controller.signal);
    controller.abort(new TurnAborted("user"));
    await expect(waiting).rejects.toBeInstanceOf(TurnAborted);
    breakOff(new Error("late"));
    await expect(untilAborted(Promise.reject(new Error("late too")), controller.signal)).rejects.toBeInstanceOf(TurnAborted);
  });

  it("tells why a turn was aborted, and nothing of other signals", () => {
    const controller = new AbortController();
    expect(abortReasonOf(controller.signal)).toBeUndefined();
    controller.abort(new TurnAborted("timeout"));
    expect(abortReasonOf(controller.signal)).toBe("timeout");
    expect(abortReasonOf(AbortSignal.abort(new Error("other")))).toBeUndefined();
  });
});
