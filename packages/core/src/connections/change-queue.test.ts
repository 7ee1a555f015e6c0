import { describe, expect, it } from "vitest";
import { createChangeQueue } from "./change-queue.ts";

describe("changes of accounts", () => {
  it("of one account run one after the other, also when one fails", async () => {
    const queue = createChangeQueue();
    const done: string[] = [];
    const change = (name: string) => async (): Promise<void> => {
      await Promise.resolve();
      done.push(name);
      if (name === "first") throw new TypeError("no");
    };
    queue.add("a", change("first"));
    queue.add("a", change("second"));
    queue.add("b", change("other"));
    await queue.close();
    expect(done.indexOf("first")).toBeLessThan(done.indexOf("second"));
    expect(done.toSorted()).toEqual(["first", "other", "second"]);
  });

  it("end the wait of an earlier one", async () => {
    const queue = createChangeQueue();
    const done: string[] = [];
    queue.add("a", (enough) => new Promise((resolve) => enough.addEventListener("abort", () => resolve(void done.push("drained")))));
    await Promise.resolve();
    queue.add("a", async () => void done.push("back"));
    await queue.close();
    expect(done).toEqual(["drained", "back"]);
  });

  it("wait for nothing once the queue is closed", async () => {
    const queue = createChangeQueue();
    await queue.close();
    expect(queue.closed()).toBe(true);
    const aborted = new Promise((resolve) => queue.add("a", async (enough) => resolve(enough.aborted)));
    expect(await aborted).toBe(true);
  });
});
