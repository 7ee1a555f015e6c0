import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

describe("back-off", () => {
  it("doubles from half a second to a minute, with jitter of half its length", () => {
    expect([1, 2, 3, 4].map((attempt) => backoffMs(attempt, 0))).toEqual([250, 500, 1000, 2000]);
    expect([1, 2, 3, 4].map((attempt) => backoffMs(attempt, 0.5))).toEqual([375, 750, 1500, 3000]);
    expect(backoffMs(8, 0.999999)).toBe(60_000);
  });

  it("stays within its bounds for any attempt", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const wait = backoffMs(attempt, random);
        expect(wait).toBeGreaterThanOrEqual(250);
        expect(wait).toBeLessThanOrEqual(60_000);
        expect(backoffMs(attempt + 1, random)).toBeGreaterThanOrEqual(wait);
      }),
    );
  });
});
