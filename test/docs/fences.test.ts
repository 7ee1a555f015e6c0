import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { describe, expect, it } from "vitest";
import { registerChannels } from "../../packages/gateway/src/channels.ts";
import { formatIssues } from "../../packages/gateway/src/config/issue.ts";
import { loadConfig } from "../../packages/gateway/src/config/load.ts";
import { ROOT } from "../arch/source-files.ts";
import { allPages, type Fence, fencesOf, isThere } from "./pages.ts";

interface Block extends Fence {
  readonly page: string;
  /** The first words, to know it by. */
  readonly start: string;
}

const blocks: readonly Block[] = allPages().flatMap((page) =>
  fencesOf(page).map((fence) => ({ ...fence, page: page.path, start: fence.text.trim().slice(0, 40) })),
);

/** What is printed somewhere: the test that pins how it is printed, or why there is none. The values are those of an installation. */
const PRINTED: readonly (readonly [start: string, by: string])[] = [
  ["Trunkline is ready: http://", "test/support/gateway-process.ts"],
  ["Trunkline 0.1.0 at http://", "test/system/explain.test.ts"],
  ["in_01M8PGE1N64FGHXWVFR9RCZE5A", "test/system/explain.test.ts"],
  ["$ echo '**hi**' | trunkline render", "test/system/render.test.ts"],
  ["trunkline.yaml:9:21  channels.telegram", "packages/gateway/src/config/guide.test.ts"],
  ["trunkline config get channels.telegram", "packages/gateway/src/cli/config.test.ts"],
  ["scrape_configs:", "a configuration of Prometheus"],
  ["my-bot/", "a picture of a folder"],
  ["version: 1\ninclude: [./channels.yaml", "it names files that are the reader's"],
];

/** Programs of others that the pages call, and commands of the shell. */
const TOOLS = ["cp", "curl", "echo", "export", "alias", "npm", "npx"];

describe("the blocks in the docs", () => {
  it("are of a language that some test looks at", () => {
    expect(blocks.length).toBeGreaterThan(25);
    expect([...new Set(blocks.map(({ language }) => language))].toSorted()).toEqual(["sh", "sql", "text", "yaml"]);
  });

  it("with commands call trunkline, whose words and options are tried against --help, or a known tool", () => {
    const commands = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.split("\n"));
    const first = commands.map((line) => line.trim().split(/\s/, 1)[0] ?? "").filter((word) => word !== "" && word !== "#");
    expect(first.filter((word) => word !== "trunkline" && !TOOLS.includes(word))).toEqual([]);
  });

  it("copy only files that are there", () => {
    const copied = blocks.flatMap(({ text }) => [...text.matchAll(/^cp (\S+)/gm)].map(([, file = ""]) => file));
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.filter((file) => !isThere(file))).toEqual([]);
  });

  it("that show what is printed are pinned by a test, or say why not", () => {
    const shown = blocks.filter(({ language }) => language === "text");
    const known = (block: Block) => PRINTED.find(([start]) => block.text.trim().startsWith(start));
    expect(shown.filter((block) => known(block) === undefined).map(({ page, start }) => `${page}: ${start}`)).toEqual([]);
    expect(PRINTED.filter(([start]) => !shown.some(({ text }) => text.trim().startsWith(start)))).toEqual([]);
    expect(PRINTED.filter(([, by]) => by.endsWith(".ts") && !isThere(by))).toEqual([]);
  });

  it("with parts of a configuration pass the check once they are in one", async () => {
    const channels = await registerChannels(createContainer());
    const parts = blocks.filter(({ language, text }) => language === "yaml" && !/^version:/m.test(text));
    expect(parts.length).toBeGreaterThan(0);
    const file = join(ROOT, "config", "trunkline.yaml");
    for (const { page, text } of parts) {
      const yaml = `version: 1\n${text}`;
      const read = (path: string): Uint8Array => (path === file ? new TextEncoder().encode(yaml) : readFileSync(path));
      const env = { TELEGRAM_TOKEN: `123456789:${"A".repeat(35)}` };
      const loaded = loadConfig({ file, env, channels, knownProviders: ["demo"], files: { read, mode: () => 0o600 } });
      expect(formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings]), page).toBe("");
    }
  });
});
