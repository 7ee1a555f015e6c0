import { describe, expect, it } from "vitest";
import { BoundedLog, dropOldest } from "./bounded-log.ts";

describe("BoundedLog", () => {
  it("keeps the newest entries, in order", () => {
    const log = new BoundedLog<number>(3);
    for (let entry = 1; entry <= 20; entry += 1) log.push(entry);
    expect(log.size).toBe(3);
    expect(log.toArray()).toEqual([18, 19, 20]);
  });

  it("finds the newest entry that fits, and none that was dropped", () => {
    const log = new BoundedLog<number>(3);
    for (let entry = 1; entry <= 5; entry += 1) log.push(entry);
    expect(log.findLast((entry) => entry % 2 === 1)).toBe(5);
    expect(log.findLast((entry) => entry === 1)).toBeUndefined();
  });
});

describe("dropOldest", () => {
  it("leaves the newest of a map or a set", () => {
    const set = new Set([1, 2, 3, 4]);
    dropOldest(set, 2);
    expect([...set]).toEqual([3, 4]);
  });
});
