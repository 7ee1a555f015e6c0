import { describe, expect, it } from "vitest";
import { PART_KEY_LENGTH, partKey } from "./part-key.ts";

describe("part keys", () => {
  // Pinned: a part that was committed by an older version must keep its key.
  it.each([
    ["tn_01JGFJJZ00ABCDEFGHJKMNPQRS", 1, 0, "ocfrf3wb4cnosuhbwtf6ebhl4"],
    ["tn_01JGFJJZ00ABCDEFGHJKMNPQRS", 1, 1, "kavlooiabw4csdhjo4otrejgo"],
    ["tn_01JGFJJZ00ABCDEFGHJKMNPQRS", 2, 0, "wxrhokojdltlgjhrzltubqmaj"],
  ])("of %s, %i, %i is %s", (turn, seq, part, key) => {
    expect(partKey(turn, seq, part)).toBe(key);
  });

  it("are 25 characters of base32, and all different", () => {
    const keys = Array.from({ length: 1000 }, (_, part) => partKey("tn_x", part % 10, part));
    for (const key of keys) expect(key).toMatch(/^[a-z2-7]{25}$/);
    expect(PART_KEY_LENGTH).toBe(25);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("are the base32 of the hash: the first characters stand for its first bits", async () => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("tn_x:1:2")));
    const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    const expected = Array.from(
      { length: 25 },
      (_, at) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)],
    ).join("");
    expect(partKey("tn_x", 1, 2)).toBe(expected);
  });
});
