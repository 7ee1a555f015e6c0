import { describe, expect, it } from "vitest";
import { telegramAccess } from "./access.ts";

describe("allow lists of Telegram", () => {
  it("compare bare numeric ids", () => {
    expect(telegramAccess.normalizeId(" telegram:42 ")).toBe("42");
    expect(telegramAccess.normalizeId("tg:-100777")).toBe("-100777");
  });

  it("refuse names, which change hands, and say how to find the id", () => {
    expect(telegramAccess.refuseEntry?.("@ann")).toMatch(/change hands.*explain last/);
    expect(telegramAccess.refuseEntry?.("ann smith")).toMatch(/not a Telegram id.*explain last/);
  });

  it.each([
    "+42",
    "0042",
    "４２",
    "٤٢",
    "42.0",
    "1e5",
    "-0",
    "42 43",
    "@42",
    "t.me/ann",
    "https://t.me/ann",
    "tg://user?id=42",
    "user:42",
    "telegram:",
    "",
  ])("refuse %j, which only looks like an id, instead of letting nobody in by it", (entry) => {
    expect(telegramAccess.refuseEntry?.(entry)).toMatch(/numeric id/);
  });

  it.each(["42", " 42 ", "tg:42", "TG:42", "telegram:42", "Telegram:42"])("know %j for the person 42", (entry) => {
    expect(telegramAccess.refuseEntry?.(entry)).toBeUndefined();
    expect(telegramAccess.normalizeId(entry)).toBe("42");
  });

  it("have nothing against ids and the star", () => {
    for (const entry of ["42", "-1001234567890", "telegram:42", "*"]) expect(telegramAccess.refuseEntry?.(entry), entry).toBeUndefined();
  });
});
