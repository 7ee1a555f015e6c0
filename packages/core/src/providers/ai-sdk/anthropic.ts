import type { ThinkingLevel } from "@trunkline/plugin-sdk";
import type { Vendor, VendorOptions } from "./vendor.ts";

/** Tokens to think with, for models that are told a number; at least 1024. Source: docs.claude.com, Extended thinking. */
const BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
};

/** Claude models, by @ai-sdk/anthropic. */
export const anthropic: Vendor = {
  name: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  async load() {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return (settings, model) => createAnthropic(settings)(model);
  },
  options: (_model, level, info) => (level === undefined ? {} : thinkingOptions(level, info?.thinkingBy ?? "effort")),
  // The API refuses a call that does not say how long the answer may be; the package knows it for its own models only.
  limits: (info) => (info?.maxOutput === undefined ? {} : { maxOutputTokens: info.maxOutput }),
};

/** `off` has to be said: some models think unless they are told not to. */
function thinkingOptions(level: ThinkingLevel, by: "effort" | "budget"): VendorOptions {
  if (level === "off") return { thinking: { type: "disabled" } };
  if (by === "budget") return { thinking: { type: "enabled", budgetTokens: BUDGETS[level] } };
  return { thinking: { type: "adaptive", display: "summarized" }, effort: level === "minimal" ? "low" : level };
}
