import { describe, expect, it } from "vitest";
import { LruMap } from "./lru.ts";

describe("the bounded map", () => {
  it("forgets what was used longest ago", () => {
    const map = new LruMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect(map.get("a")).toBe(1);
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([1, undefined, 3, 2]);
    map.set("a", 4);
    map.set("d", 5);
    expect([map.get("a"), map.get("c")]).toEqual([4, undefined]);
    map.delete("a");
    expect(map.size).toBe(1);
  });
});
