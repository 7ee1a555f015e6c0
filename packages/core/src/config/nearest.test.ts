import fc from "fast-check";
import { expect, it } from "vitest";
import { editDistance, findNearest } from "./nearest.ts";

it("finds the word that was meant", () => {
  expect(findNearest("parring", ["pairing", "allowlist", "open"])).toBe("pairing");
  expect(findNearest("telegarm", ["web", "telegram"])).toBe("telegram");
  expect(findNearest("TOKEN", ["token", "mode"])).toBe("token");
});

it("does not guess when nothing is near", () => {
  expect(findNearest("x", ["token", "mode"])).toBeUndefined();
  expect(findNearest("discord", ["web", "telegram"])).toBeUndefined();
  expect(findNearest("anything", [])).toBeUndefined();
});

it("counts a swap of neighbours as one edit", () => {
  expect(editDistance("tkoen", "token")).toBe(1);
  expect(editDistance("", "abc")).toBe(3);
});

it("measures the same in both directions", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 12 }),
      fc.string({ maxLength: 12 }),
      (a, b) => editDistance(a, b) === editDistance(b, a) && (a !== b || editDistance(a, b) === 0),
    ),
  );
});
