import { describe, expect, it } from "vitest";
import { createBackoff } from "./backoff.ts";

describe("pauses between attempts", () => {
  it("grow to a minute and no further, shortened by at most half", () => {
    const backoff = createBackoff("99/main");
    for (const full of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]) {
      const pause = backoff.next();
      expect(pause).toBeLessThanOrEqual(full);
      expect(pause).toBeGreaterThanOrEqual(full / 2);
    }
  });

  it("are short again after a success", () => {
    const backoff = createBackoff("99/main");
    for (let i = 0; i < 10; i += 1) backoff.next();
    backoff.reset();
    expect(backoff.next()).toBeLessThanOrEqual(1000);
  });

  it("differ between accounts and are the same for one", () => {
    const pauses = (seed: string) => Array.from({ length: 5 }, createBackoff(seed).next);
    expect(pauses("99/main")).toEqual(pauses("99/main"));
    expect(pauses("99/main")).not.toEqual(pauses("99/other"));
  });
});
