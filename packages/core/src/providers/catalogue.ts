import type { ModelInfo, ProviderType } from "@trunkline/plugin-sdk";
import { type CatalogueEntry, CLAUDE, GEMINI, GPT, OPEN } from "./catalogue-data.ts";

export type { CatalogueEntry } from "./catalogue-data.ts";

/**
 * What is known about a model of a provider: what the configuration says, over what the catalogue says. Undefined when neither knows
 * it. Dated and numbered variants (`-20251001`, `-latest`, `-preview`, `:8b`) are the model that they are variants of. Pure.
 */
export function findModel(
  type: ProviderType,
  model: string,
  configured: Readonly<Record<string, ModelInfo>> = {},
): CatalogueEntry | undefined {
  const listed = type === "openai-compatible" ? findServed(model) : findIn(OWN[type], model);
  const own = Object.hasOwn(configured, model) ? configured[model] : undefined;
  return listed === undefined && own === undefined ? undefined : { ...listed, ...own };
}

const OWN = { anthropic: CLAUDE, openai: GPT, google: GEMINI } as const;

/** Endings that name a variant of the same model. */
const VARIANTS: readonly RegExp[] = [
  /:[\w.-]+$/,
  /[-@]\d{8}$/,
  /-\d{4}-\d{2}-\d{2}$/,
  /-(?:latest|preview|exp)$/,
  /-preview-\d{2}-\d{2,4}$/,
  /-0\d{0,2}$/,
];

function findIn(table: Readonly<Record<string, CatalogueEntry>>, model: string): CatalogueEntry | undefined {
  const name = model.replace(/^models\//, "").toLowerCase();
  const names = [name, ...VARIANTS.filter((ending) => ending.test(name)).map((ending) => name.replace(ending, ""))];
  const known = names.find((one) => Object.hasOwn(table, one));
  return known === undefined ? undefined : table[known];
}

/**
 * A model behind a compatible server: `llama3.2:3b`, `meta-llama/llama-3.3-70b-instruct`, `anthropic/claude-sonnet-4.5`. Of a model
 * that another company makes only what it can read is taken over: prices and ways to ask for thinking are the server's own.
 */
function findServed(model: string): CatalogueEntry | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const open = findIn(OPEN, name);
  if (open !== undefined) return open;
  const resold = findIn(CLAUDE, name.replaceAll(".", "-")) ?? findIn(GPT, name) ?? findIn(GEMINI, name);
  if (resold === undefined) return undefined;
  const { contextWindow, input } = resold;
  return { ...(contextWindow === undefined ? {} : { contextWindow }), ...(input === undefined ? {} : { input }) };
}
