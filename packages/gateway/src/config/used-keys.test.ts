import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { configJsonSchema, type JsonSchema } from "@trunkline/core";
import { expect, it } from "vitest";
import { loadConfig } from "./load.ts";

const channels = [webChannel, telegramChannel];

interface Leaf {
  /** Names of maps and `0` for an entry of a list. */
  readonly path: readonly (string | number)[];
  /** A value that asks for something. */
  readonly sample: unknown;
}

/** Every key of the format that has a value of its own, in an entry of each list and map. */
function leavesOf(schema: JsonSchema, path: Leaf["path"] = []): readonly Leaf[] {
  const { properties, additionalProperties, items } = schema as Record<string, JsonSchema | undefined>;
  const entries = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  if (entries.length > 0) return entries.flatMap(([key, value]) => leavesOf(value, [...path, key]));
  if (hasKeys(additionalProperties)) return leavesOf(additionalProperties, [...path, "main"]);
  if (hasKeys(items)) return leavesOf(items, [...path, 0]);
  return [{ path, sample: sampleOf(schema) }];
}

/** Whether a schema is of a map whose keys matter. */
function hasKeys(schema: JsonSchema | undefined): schema is JsonSchema {
  return typeof schema === "object" && ("properties" in schema || typeof schema["additionalProperties"] === "object");
}

function sampleOf({ type, enum: words, anyOf }: JsonSchema): unknown {
  if (Array.isArray(words)) return words.at(-1);
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0] as JsonSchema);
  const samples: Readonly<Record<string, unknown>> = {
    string: "x",
    integer: 7,
    number: 0.7,
    boolean: false,
    array: ["x"],
    object: { x: "x" },
  };
  return samples[String(type)] ?? "x";
}

/** A configuration with this one value in it. */
function treeOf({ path, sample }: Leaf): unknown {
  return path.reduceRight<unknown>((below, part) => (typeof part === "number" ? [below] : { [part]: below }), sample);
}

/** Whether the value is told to have no effect, or another than it says. */
function isWarnedOf(leaf: Leaf): boolean {
  const text = JSON.stringify({ ...(treeOf(leaf) as object), version: 1 });
  const files = { read: () => new TextEncoder().encode(text), mode: () => 0o600 };
  const { warnings } = loadConfig({ file: "/bot/trunkline.yaml", env: {}, channels, knownProviders: ["demo"], files });
  const at = leaf.path.join(".");
  return warnings.some(({ path, message }) => /in this version/.test(message) && (at === path || at.startsWith(`${path}.`)));
}

/** What runs: everything of the packages but the configuration's own code, its types, and tests. */
function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["config", "testing", "node_modules", "dist", "init"].includes(entry.name) ? [] : sources(path);
    return entry.name.endsWith(".ts") && !/\.test\.ts$|^fake-|^config\.ts$|^catalogue-data\.ts$|^demo/.test(entry.name)
      ? [readFileSync(path, "utf8")]
      : [];
  });
}

const packages = fileURLToPath(new URL("../../../", import.meta.url));
const code = readdirSync(packages)
  .flatMap((name) => sources(join(packages, name, "src")))
  .join("\n");

/** Of words that mean many things: how it is written where the value is read. */
const READ: Readonly<Record<string, RegExp>> = {
  "gateway.host": /gateway\.host\b/,
  "gateway.port": /gateway\.port\b/,
  "store.url": /store\.url\b/,
  "logs.level": /logs\.level\b/,
  "identity.name": /identity\.name\b/,
  "identity.emoji": /identity\.emoji\b/,
  "model.params": /model\.params\b/,
  "providers.main.type": /\{ type, baseUrl, \.\.\.rest \} = provider/,
  "providers.main.models.main.input": /\.input\?\.includes/,
};

function isRead({ path }: Leaf): boolean {
  const at = path.filter((part) => typeof part === "string").join(".");
  const own = Object.entries(READ).find(([key]) => at === key || at.endsWith(`.${key}`))?.[1];
  const key = path.findLast((part) => typeof part === "string");
  return (own ?? new RegExp(`\\b${key}\\b`)).test(code);
}

/** Read when the files are joined or the configuration is put together, in the configuration's own code; the last has one word only. */
const READ_HERE = ["version", "include", "context.embeddings"];

it("every key that may be written is read somewhere, or check says that it has no effect", () => {
  const leaves = leavesOf(configJsonSchema(channels));
  expect(leaves.length).toBeGreaterThan(80);
  // Maps and lists that have to be empty are refused when they are not.
  const nothing = ["tools", "budgets", "hooks", "cron", "plugins"];
  const unused = leaves.filter(
    (leaf) => !READ_HERE.includes(leaf.path.join(".")) && !nothing.includes(leaf.path.join(".")) && !isWarnedOf(leaf) && !isRead(leaf),
  );
  expect(unused.map(({ path }) => path.join("."))).toEqual([]);
});

it("a key that nothing reads would be found", () => {
  expect(isRead({ path: ["gateway", "flibbertigibbet"], sample: 1 })).toBe(false);
  expect(isWarnedOf({ path: ["messages", "locale"], sample: "de" })).toBe(true);
});
