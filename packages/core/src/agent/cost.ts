import type { ModelInfo, ModelUsage } from "@trunkline/plugin-sdk";

/** What a call cost by the listed price, in US dollars. Undefined where the price or the usage is not known. Pure. */
export function costOf(usage: ModelUsage | undefined, price: ModelInfo["price"]): number | undefined {
  if (usage === undefined || price === undefined) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return (input + usage.outputTokens * price.output) / 1_000_000;
}
