import { GatewayError, type ThinkingLevel } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createThinkingMemory, fitThinking, resolveThinking, supportIn, type ThinkingSupport } from "./thinking.ts";

describe("the thinking level", () => {
  it("is the first that somebody named, and low when nobody did", () => {
    expect(resolveThinking(undefined, "high", "off")).toBe("high");
    expect(resolveThinking("off", "high")).toBe("off");
    expect(resolveThinking(undefined, undefined)).toBe("low");
  });

  it.each<[ThinkingLevel, ThinkingSupport | undefined, ThinkingLevel | undefined]>([
    ["xhigh", ["off", "low", "high"], "high"],
    ["medium", ["off", "low", "high"], "low"],
    ["minimal", ["off", "low", "high"], "off"],
    ["xhigh", ["off", "low", "xhigh"], "xhigh"],
    ["off", ["low", "high"], "low"],
    ["minimal", ["low", "high"], "low"],
    ["high", "binary", "high"],
    ["off", "binary", "off"],
    ["high", [], undefined],
    ["high", undefined, undefined],
  ])("%s on a model with %j is %s", (wish, support, level) => {
    expect(fitThinking(wish, support)).toBe(level);
  });
});

describe("a provider that refuses a level", () => {
  const refusal = (body: string, code: "MODEL_BAD_REQUEST" | "MODEL_AUTH" = "MODEL_BAD_REQUEST") =>
    new GatewayError(code, { detail: { body } });

  it.each<[string, ThinkingSupport]>([
    [
      `{"error":{"message":"Unsupported value: 'minimal' is not supported with the 'gpt-x' model. Supported values are: 'none', 'low', 'medium', and 'high'.","param":"reasoning.effort"}}`,
      ["off", "low", "medium", "high"],
    ],
    [`{"detail":[{"loc":["body","reasoning_effort"],"msg":"Input should be 'low', 'medium' or 'high'"}]}`, ["low", "medium", "high"]],
    [`{"error":"reasoning_effort must be one of: low, high"}`, ["low", "high"]],
    [`{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model."}}`, []],
    [`{"error":{"message":"\\"llama3.2\\" does not support thinking"}}`, []],
  ])("teaches which it has: %s", (body, support) => {
    expect(supportIn(refusal(body))).toEqual(support);
  });

  it.each([
    [refusal(`{"error":{"message":"temperature must be one of: 0, 1"}}`)],
    [refusal(`{"error":{"message":"Invalid value for reasoning_format"}}`)],
    [refusal(`Supported values are: 'low' for reasoning`, "MODEL_AUTH")],
    [new GatewayError("MODEL_BAD_REQUEST")],
  ])("teaches nothing when it is about something else (%#)", (error) => {
    expect(supportIn(error)).toBeUndefined();
  });

  it("is remembered for a bounded number of models", () => {
    const memory = createThinkingMemory();
    for (let n = 0; n < 1000; n += 1) memory.learn(`m${n}`, ["low"]);
    expect(memory.of("m0")).toBeUndefined();
    expect(memory.of("m999")).toEqual(["low"]);
  });
});
