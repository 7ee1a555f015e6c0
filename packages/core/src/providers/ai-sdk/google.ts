import type { ThinkingLevel } from "@trunkline/plugin-sdk";
import type { Vendor, VendorOptions } from "./vendor.ts";

/** Tokens to think with, for the Gemini 2.5 models. Source: ai.google.dev/gemini-api/docs/thinking; 24576 is the most that all of them take. */
const BUDGETS: Readonly<Record<ThinkingLevel, number>> = { off: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576 };

/** Gemini models, by @ai-sdk/google. */
export const google: Vendor = {
  name: "google",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  async load() {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return (settings, model) => createGoogleGenerativeAI(settings)(model);
  },
  options: (_model, level, info) => (level === undefined ? {} : thinkingOptions(level, info?.thinkingBy ?? "effort")),
};

function thinkingOptions(level: ThinkingLevel, by: "effort" | "budget"): VendorOptions {
  if (by === "budget" || level === "off") return { thinkingConfig: { thinkingBudget: BUDGETS[level], includeThoughts: level !== "off" } };
  return { thinkingConfig: { thinkingLevel: level === "xhigh" ? "high" : level, includeThoughts: true } };
}
