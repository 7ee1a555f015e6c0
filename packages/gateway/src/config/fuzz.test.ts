import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import fc from "fast-check";
import { expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

function load(bytes: Uint8Array): LoadedConfig {
  return loadConfig({
    file: "/bot/trunkline.yaml",
    env: { WORD: "x" },
    channels: [webChannel, telegramChannel],
    knownProviders: ["demo"],
    files: { read: () => bytes, mode: () => 0o600 },
  });
}

function holds(bytes: Uint8Array): void {
  const loaded = load(bytes);
  if (loaded.ok) {
    expect(loaded.snapshot.config.agents.list.length).toBeGreaterThan(0);
    return;
  }
  expect(loaded.issues.length).toBeGreaterThan(0);
  expect(formatIssues(loaded.issues)).not.toMatch(/\bat \w+ \(|undefined|NaN|\[object/);
  for (const { line, column } of loaded.issues) expect(Math.min(line, column)).toBeGreaterThanOrEqual(0);
}

const WORDS = [
  "version",
  "channels",
  "telegram",
  "web",
  "accounts",
  "main",
  "token",
  "allowFrom",
  "groups",
  "agents",
  "list",
  "id",
  "owners",
  "bindings",
  "match",
  "model",
  "primary",
  "__proto__",
  "constructor",
  "<<",
  "toString",
];
const SCALARS = [
  "1",
  "true",
  "~",
  "",
  "demo/guide",
  '"*"',
  "*a",
  "&a x",
  "!t",
  "[]",
  "{}",
  "${WORD}",
  "${NOPE}",
  "-100",
  "0x1",
  ".inf",
  ".nan",
  "'",
  '"',
  "|",
  ">",
  "#x",
  "@y",
  "%z",
  "a: b",
  "file:x",
  "./x.md",
];

/** Text that looks like a configuration and is wrong in all the ways that people and editors manage. */
const almostYaml = fc
  .array(
    fc.record({
      indent: fc.constantFrom("", "  ", "    ", "      ", "        ", "\t", " "),
      dash: fc.constantFrom("", "", "- "),
      key: fc.constantFrom(...WORDS),
      colon: fc.constantFrom(": ", ": ", ":", " "),
      value: fc.oneof(fc.constantFrom(...SCALARS), fc.string({ maxLength: 8 })),
    }),
    { maxLength: 12 },
  )
  .map((lines) => lines.map(({ indent, dash, key, colon, value }) => `${indent}${dash}${key}${colon}${value}`).join("\n"));

/** Trees of every shape below the real keys, written as JSON, which is YAML. */
const anyTree = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, 1, -1, 1.5, true, "", "x", "*", "telegram:main:1", "demo/guide"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS, "dmPolicy", "gateway", "port", "providers", "messages", "queue"), tie("tree"), { maxKeys: 4 }),
  ),
})).tree;

it("any text is a configuration or has issues", () => {
  fc.assert(
    fc.property(fc.oneof(almostYaml, fc.string({ maxLength: 200 })), (text) => holds(new TextEncoder().encode(text))),
    { numRuns: 600 },
  );
});

it("any tree of values is a configuration or has issues", () => {
  fc.assert(
    fc.property(anyTree, (tree) =>
      holds(new TextEncoder().encode(JSON.stringify({ version: 1, ...(typeof tree === "object" ? tree : {}) }))),
    ),
    { numRuns: 300 },
  );
});

it("any bytes are a configuration or have issues", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), holds), { numRuns: 200 });
});
