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

  it("have nothing against ids and the star", () => {
    for (const entry of ["42", "-1001234567890", "telegram:42", "*"]) expect(telegramAccess.refuseEntry?.(entry), entry).toBeUndefined();
  });
});
