import { ERROR_CODES, type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { textNameOf, textOf, TEXTS } from "./texts.ts";

describe("the gateway's own sentences", () => {
  it("are short, readable, and hold nothing of an error", () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const text = TEXTS[textNameOf(new GatewayError(code, { detail: { provider: "SECRET" } }))];
      expect(text).toMatch(/^[A-Z].{5,160}\.$/);
      expect(text).not.toContain("SECRET");
    }
  });

  it.each([
    ["MODEL_AUTH", "modelAuth"],
    ["MODEL_BILLING", "modelSetup"],
    ["MODEL_UNKNOWN", "modelSetup"],
    ["MODEL_STEPS_EXHAUSTED", "modelSteps"],
    ["MODEL_TIMEOUT", "modelTimeout"],
    ["MODEL_CONTEXT_OVERFLOW", "modelOverflow"],
    ["MODEL_REFUSED", "modelRefused"],
    ["MODEL_NETWORK", "modelUnavailable"],
    ["GATEWAY_BUG", "failed"],
  ] as const)("for %s it is %s", (code, name) => {
    expect(textNameOf(new GatewayError(code))).toBe(name);
  });

  it("can be replaced one by one", () => {
    expect(textOf("failed", { failed: "Hoppla." })).toBe("Hoppla.");
    expect(textOf("empty", { failed: "Hoppla." })).toBe(TEXTS.empty);
  });
});
