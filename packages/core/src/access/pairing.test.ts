import { describe, expect, it } from "vitest";
import { codeFrom, decidePairing, normalizeCode } from "./pairing.ts";

describe("a code", () => {
  it("has eight of 32 characters, each as likely as the others", () => {
    const seen = new Map<string, number>();
    for (let start = 0; start < 256; start += 8) {
      const code = codeFrom(Uint8Array.from({ length: 8 }, (_, index) => start + index));
      expect(code).toHaveLength(8);
      for (const character of code) seen.set(character, (seen.get(character) ?? 0) + 1);
    }
    expect([...seen.keys()].toSorted().join("")).toBe("23456789ABCDEFGHJKLMNPQRSTUVWXYZ");
    expect(new Set(seen.values())).toEqual(new Set([8]));
  });

  it("may be typed in small letters, with spaces or a dash", () => {
    expect(normalizeCode(" abcd-2345 ")).toBe("ABCD2345");
  });

  it.each(["ＡＢＣＤ２３４５", "ABCD٢٣٤٥", "АBCD2345", "abcdﬁ23", "ßßCD2345", "ABCD\u200b2345", "ABCD2345\u0000", "%41BCD2345", ""])(
    "is not typed as %j, which only looks like it",
    (typed) => {
      expect(normalizeCode(typed)).not.toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    },
  );
});

describe("a stranger's message", () => {
  it.each([
    ["the first", undefined, 0, true, "pairing", "code-sent"],
    ["the first, while two others wait", undefined, 2, true, "pairing", "code-sent"],
    ["the first, while three others wait", undefined, 3, false, "denied", "too-many-waiting"],
    ["another of a sender who waits", { state: "pending" }, 1, false, "pairing", "waiting"],
    ["another of one of three who wait", { state: "pending" }, 3, false, "pairing", "waiting"],
    ["another of a sender who was turned down", { state: "denied" }, 0, false, "denied", "turned-down"],
  ] as const)("%s", (_what, own, waiting, send, disposition, code) => {
    expect(decidePairing({ own, waiting }, "path")).toMatchObject({ send, disposition, decision: { code, path: "path" } });
  });
});
