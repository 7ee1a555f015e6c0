import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { VendorOptions } from "./vendor.ts";

/** Parameters that all providers have, by the names that people write them with. */
const COMMON: ReadonlyMap<string, keyof LanguageModelV3CallOptions> = new Map([
  ["temperature", "temperature"],
  ["max_tokens", "maxOutputTokens"],
  ["max_output_tokens", "maxOutputTokens"],
  ["maxOutputTokens", "maxOutputTokens"],
  ["top_p", "topP"],
  ["topP", "topP"],
  ["top_k", "topK"],
  ["topK", "topK"],
  ["presence_penalty", "presencePenalty"],
  ["presencePenalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
  ["frequencyPenalty", "frequencyPenalty"],
  ["stop", "stopSequences"],
  ["stop_sequences", "stopSequences"],
  ["stopSequences", "stopSequences"],
  ["seed", "seed"],
]);

/** The `params` of an agent, parted into what every provider has and the vendor's own options. */
export function splitParams(params: Readonly<Record<string, unknown>> = {}): {
  readonly common: Partial<LanguageModelV3CallOptions>;
  readonly own: VendorOptions;
} {
  const common: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params)) {
    const known = COMMON.get(name);
    if (known === undefined) own[name] = value;
    else common[known] = known === "stopSequences" ? [value].flat() : value;
  }
  // Written by a person: the package checks its own options, and the provider the common ones.
  return { common: common as Partial<LanguageModelV3CallOptions>, own: own as VendorOptions };
}
