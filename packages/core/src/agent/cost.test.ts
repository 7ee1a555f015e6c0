import { expect, it } from "vitest";
import { costOf } from "./cost.ts";

it("a call costs what its tokens cost, those that the provider had read already at their own price", () => {
  const price = { input: 2, output: 10, cached: 0.5 };
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 100_000 }, price)).toBe(3);
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 400_000 }, price)).toBeCloseTo(1.4);
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 400_000 }, { input: 2, output: 10 })).toBe(2);
});

it("what is not known costs nothing that could be told", () => {
  expect(costOf(undefined, { input: 1, output: 1 })).toBeUndefined();
  expect(costOf({ inputTokens: 1, outputTokens: 1 }, undefined)).toBeUndefined();
});
