import { THINKING_LEVELS } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { CLAUDE, GEMINI, GPT, OPEN } from "./catalogue-data.ts";
import { findModel } from "./catalogue.ts";

describe("the catalogue", () => {
  it.each([
    ["anthropic", "claude-sonnet-4-5-20250929", { contextWindow: 200_000, thinkingBy: "budget" }],
    ["anthropic", "claude-opus-4-0", { maxOutput: 32_000 }],
    ["openai", "gpt-5-2025-08-07", { thinking: ["minimal", "low", "medium", "high"] }],
    ["google", "models/gemini-2.5-flash-preview-09-2025", { thinkingBy: "budget" }],
    ["google", "gemini-3-flash-preview", { thinking: ["minimal", "low", "medium", "high"] }],
    ["openai-compatible", "llama3.2:3b", { thinking: [], input: ["text"] }],
    ["openai-compatible", "openai/gpt-oss-120b", { thinking: ["low", "medium", "high"] }],
    ["openai-compatible", "gemma3:1b", { input: ["text"] }],
    ["openai-compatible", "gemma3:27b", { input: ["text", "image"] }],
  ] as const)("knows %s %s", (type, model, info) => {
    expect(findModel(type, model)).toMatchObject(info);
  });

  it("takes over from a resold model only what it can read", () => {
    expect(findModel("openai-compatible", "anthropic/claude-sonnet-4.5")).toEqual({
      contextWindow: 200_000,
      input: ["text", "image", "file"],
    });
  });

  it("knows nothing of a model that nobody described", () => {
    expect(findModel("openai-compatible", "my/finetune")).toBeUndefined();
    expect(findModel("openai", "constructor")).toBeUndefined();
  });

  it("lets the configuration add a model, and say it better", () => {
    const configured = { "gpt-5": { contextWindow: 1 }, mine: { thinking: "binary" as const } };
    expect(findModel("openai", "gpt-5", configured)).toMatchObject({ contextWindow: 1, maxOutput: 128_000 });
    expect(findModel("openai", "mine", configured)).toEqual({ thinking: "binary" });
  });

  it.each(Object.entries({ ...CLAUDE, ...GPT, ...GEMINI, ...OPEN }))("has a consistent entry for %s", (_name, entry) => {
    if (Array.isArray(entry.thinking)) expect(entry.thinking).toEqual(THINKING_LEVELS.filter((level) => entry.thinking?.includes(level)));
    if (entry.contextWindow !== undefined && entry.maxOutput !== undefined) expect(entry.maxOutput).toBeLessThan(entry.contextWindow);
    if (entry.price !== undefined) expect(entry.price.output).toBeGreaterThan(entry.price.input);
    if (entry.price?.cached !== undefined) expect(entry.price.cached).toBeLessThan(entry.price.input);
    if (entry.thinkingBy === "budget") expect(entry.thinking).not.toContain("xhigh");
    expect(entry.input).toContain("text");
  });
});
