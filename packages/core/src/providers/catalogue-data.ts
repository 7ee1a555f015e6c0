import type { ModelInfo, ModelInput, ThinkingLevel } from "@trunkline/plugin-sdk";

/** What is known about a model, and how its thinking is asked for where a provider has two ways: by a word, or by a number of tokens. */
export interface CatalogueEntry extends ModelInfo {
  readonly thinkingBy?: "effort" | "budget";
}

// Written down in November 2026 from the providers' model and price pages, and from the model tables of the AI SDK's packages.
// What could not be confirmed there is left out. Prices are for prompts of usual length, without batch or priority.

const TEXT: readonly ModelInput[] = ["text"];
const PICTURES: readonly ModelInput[] = ["text", "image"];
const SEES: readonly ModelInput[] = ["text", "image", "file"];

const NONE: readonly ThinkingLevel[] = [];
const TO_HIGH: readonly ThinkingLevel[] = ["off", "low", "medium", "high"];
const TO_XHIGH: readonly ThinkingLevel[] = ["off", "low", "medium", "high", "xhigh"];
const NEVER_OFF: readonly ThinkingLevel[] = ["low", "medium", "high", "xhigh"];
const FROM_MINIMAL: readonly ThinkingLevel[] = ["minimal", "low", "medium", "high"];
const BY_BUDGET: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high"];

/** Models of `anthropic`. The lowest setting of claude-sonnet-5-5, our `off`, still thinks between tool calls. */
export const CLAUDE: Readonly<Record<string, CatalogueEntry>> = {
  "claude-opus-5-5": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: NEVER_OFF,
    input: SEES,
    price: { input: 4, output: 20, cached: 0.2 },
  },
  "claude-sonnet-5-5": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 2, output: 10, cached: 0.1 },
  },
  "claude-haiku-5-5": { maxOutput: 128_000, thinking: TO_XHIGH, input: SEES },
  "claude-fable-5-1": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: NEVER_OFF,
    input: SEES,
    price: { input: 10, output: 50, cached: 0.25 },
  },
  "claude-fable-5": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: NEVER_OFF,
    input: SEES,
    price: { input: 10, output: 50, cached: 1 },
  },
  "claude-opus-5": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 5, output: 25, cached: 0.5 },
  },
  "claude-sonnet-5": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 2, output: 10, cached: 0.2 },
  },
  "claude-opus-4-8": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 5, output: 25, cached: 0.5 },
  },
  "claude-opus-4-7": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 5, output: 25, cached: 0.5 },
  },
  "claude-opus-4-6": {
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: TO_HIGH,
    input: SEES,
    price: { input: 5, output: 25, cached: 0.5 },
  },
  "claude-sonnet-4-6": { contextWindow: 1_000_000, thinking: TO_HIGH, input: SEES, price: { input: 3, output: 15, cached: 0.3 } },
  "claude-opus-4-5": {
    contextWindow: 200_000,
    maxOutput: 64_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 5, output: 25, cached: 0.5 },
  },
  "claude-sonnet-4-5": {
    contextWindow: 200_000,
    maxOutput: 64_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 3, output: 15, cached: 0.3 },
  },
  "claude-haiku-4-5": {
    contextWindow: 200_000,
    maxOutput: 64_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 1, output: 5, cached: 0.1 },
  },
  "claude-opus-4-1": {
    contextWindow: 200_000,
    maxOutput: 32_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 15, output: 75, cached: 1.5 },
  },
  "claude-sonnet-4": {
    contextWindow: 200_000,
    maxOutput: 64_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 3, output: 15, cached: 0.3 },
  },
  "claude-opus-4": {
    contextWindow: 200_000,
    maxOutput: 32_000,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 15, output: 75, cached: 1.5 },
  },
};

/** Models of `openai`. */
export const GPT: Readonly<Record<string, CatalogueEntry>> = {
  "gpt-6-astra": {
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    thinking: NEVER_OFF,
    input: SEES,
    price: { input: 10, output: 50, cached: 1 },
  },
  "gpt-6.1-sol": { contextWindow: 1_050_000, maxOutput: 128_000, thinking: NEVER_OFF, input: SEES },
  "gpt-6.1-terra": { thinking: TO_XHIGH, input: SEES },
  "gpt-6-sol": { contextWindow: 1_050_000, maxOutput: 128_000, thinking: TO_XHIGH, input: SEES },
  "gpt-6-luna": { contextWindow: 1_050_000, maxOutput: 128_000, thinking: TO_XHIGH, input: SEES },
  "gpt-5.6-sol": {
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 2, output: 10, cached: 0.2 },
  },
  "gpt-5.6-terra": { contextWindow: 1_050_000, maxOutput: 128_000, thinking: TO_XHIGH, input: SEES },
  "gpt-5.6-luna": { contextWindow: 1_050_000, maxOutput: 128_000, thinking: TO_XHIGH, input: SEES },
  "gpt-5.5": {
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 5, output: 30, cached: 0.5 },
  },
  "gpt-5.4": {
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 2.5, output: 15, cached: 0.25 },
  },
  "gpt-5.2": {
    contextWindow: 400_000,
    maxOutput: 128_000,
    thinking: TO_XHIGH,
    input: SEES,
    price: { input: 1.75, output: 14, cached: 0.175 },
  },
  "gpt-5.1": {
    contextWindow: 400_000,
    maxOutput: 128_000,
    thinking: TO_HIGH,
    input: SEES,
    price: { input: 1.25, output: 10, cached: 0.125 },
  },
  "gpt-5": {
    contextWindow: 400_000,
    maxOutput: 128_000,
    thinking: FROM_MINIMAL,
    input: SEES,
    price: { input: 1.25, output: 10, cached: 0.125 },
  },
  "gpt-5-mini": {
    contextWindow: 400_000,
    maxOutput: 128_000,
    thinking: FROM_MINIMAL,
    input: SEES,
    price: { input: 0.25, output: 2, cached: 0.025 },
  },
  "gpt-5-nano": {
    contextWindow: 400_000,
    maxOutput: 128_000,
    thinking: FROM_MINIMAL,
    input: SEES,
    price: { input: 0.05, output: 0.4, cached: 0.005 },
  },
  "gpt-4.1": { contextWindow: 1_047_576, maxOutput: 32_768, thinking: NONE, input: SEES, price: { input: 2, output: 8, cached: 0.5 } },
  "gpt-4.1-mini": {
    contextWindow: 1_047_576,
    maxOutput: 32_768,
    thinking: NONE,
    input: SEES,
    price: { input: 0.4, output: 1.6, cached: 0.1 },
  },
  "gpt-4.1-nano": {
    contextWindow: 1_047_576,
    maxOutput: 32_768,
    thinking: NONE,
    input: SEES,
    price: { input: 0.1, output: 0.4, cached: 0.025 },
  },
  "gpt-4o": { contextWindow: 128_000, maxOutput: 16_384, thinking: NONE, input: SEES, price: { input: 2.5, output: 10, cached: 1.25 } },
  "gpt-4o-mini": {
    contextWindow: 128_000,
    maxOutput: 16_384,
    thinking: NONE,
    input: SEES,
    price: { input: 0.15, output: 0.6, cached: 0.075 },
  },
  o3: {
    contextWindow: 200_000,
    maxOutput: 100_000,
    thinking: ["low", "medium", "high"],
    input: SEES,
    price: { input: 2, output: 8, cached: 0.5 },
  },
  "o4-mini": {
    contextWindow: 200_000,
    maxOutput: 100_000,
    thinking: ["low", "medium", "high"],
    input: SEES,
    price: { input: 1.1, output: 4.4, cached: 0.275 },
  },
  "o3-mini": {
    contextWindow: 200_000,
    maxOutput: 100_000,
    thinking: ["low", "medium", "high"],
    input: TEXT,
    price: { input: 1.1, output: 4.4, cached: 0.55 },
  },
};

/** Models of `google`. gemini-3.8-flash costs half of this until the end of 2026. */
export const GEMINI: Readonly<Record<string, CatalogueEntry>> = {
  "gemini-3.8-flash": { thinking: ["low", "medium", "high"], input: SEES, price: { input: 1.5, output: 7.5, cached: 0.15 } },
  "gemini-3.5-flash": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: FROM_MINIMAL,
    input: SEES,
    price: { input: 1.5, output: 9, cached: 0.15 },
  },
  "gemini-3.1-pro": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: ["low", "medium", "high"],
    input: SEES,
    price: { input: 2, output: 12, cached: 0.2 },
  },
  "gemini-3.1-flash-lite": { contextWindow: 1_048_576, maxOutput: 65_536, thinking: FROM_MINIMAL, input: SEES },
  "gemini-3-pro": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: ["low", "high"],
    input: SEES,
    price: { input: 2, output: 12, cached: 0.2 },
  },
  "gemini-3-flash": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: FROM_MINIMAL,
    input: SEES,
    price: { input: 0.5, output: 3, cached: 0.05 },
  },
  "gemini-2.5-pro": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: FROM_MINIMAL,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 1.25, output: 10, cached: 0.125 },
  },
  "gemini-2.5-flash": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 0.3, output: 2.5, cached: 0.03 },
  },
  "gemini-2.5-flash-lite": {
    contextWindow: 1_048_576,
    maxOutput: 65_536,
    thinking: BY_BUDGET,
    thinkingBy: "budget",
    input: SEES,
    price: { input: 0.1, output: 0.4, cached: 0.01 },
  },
  "gemini-2.0-flash": {
    contextWindow: 1_048_576,
    maxOutput: 8_192,
    thinking: NONE,
    input: SEES,
    price: { input: 0.1, output: 0.4, cached: 0.025 },
  },
};

/** Models that many servers offer, by the names of Ollama and of hosts. What a server charges, and how much context it grants, is its own affair. */
export const OPEN: Readonly<Record<string, CatalogueEntry>> = {
  "gpt-oss": { contextWindow: 131_072, thinking: ["low", "medium", "high"], input: TEXT },
  "gpt-oss-20b": { contextWindow: 131_072, thinking: ["low", "medium", "high"], input: TEXT },
  "gpt-oss-120b": { contextWindow: 131_072, thinking: ["low", "medium", "high"], input: TEXT },
  "llama3.1": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "llama3.2": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "llama3.2-vision": { contextWindow: 131_072, thinking: NONE, input: PICTURES },
  "llama3.3": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "llama-3.3-70b-versatile": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "llama-3.3-70b-instruct": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "qwen2.5": { thinking: NONE, input: TEXT },
  "qwen2.5vl": { thinking: NONE, input: PICTURES },
  qwen3: { thinking: "binary", input: TEXT },
  "qwen3-vl": { input: PICTURES },
  gemma3: { contextWindow: 131_072, thinking: NONE, input: PICTURES },
  "gemma3:1b": { contextWindow: 32_768, thinking: NONE, input: TEXT },
  "gemma3:270m": { contextWindow: 32_768, thinking: NONE, input: TEXT },
  "mistral-small3.1": { contextWindow: 131_072, thinking: NONE, input: PICTURES },
  "mistral-small3.2": { contextWindow: 131_072, thinking: NONE, input: PICTURES },
  "mistral-nemo": { contextWindow: 131_072, thinking: NONE, input: TEXT },
  "deepseek-r1": { contextWindow: 131_072, input: TEXT },
  "deepseek-chat": { contextWindow: 131_072, input: TEXT },
  "deepseek-reasoner": { contextWindow: 131_072, input: TEXT },
  phi4: { contextWindow: 16_384, thinking: NONE, input: TEXT },
  llava: { thinking: NONE, input: PICTURES },
  "minicpm-v": { thinking: NONE, input: PICTURES },
  moondream: { thinking: NONE, input: PICTURES },
  "command-r": { contextWindow: 131_072, thinking: NONE, input: TEXT },
};
