import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { describe, expect, it } from "vitest";
import { memoryFiles, readSections } from "./fake-files.ts";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

const BOT_TOKEN = `123456:${"A".repeat(35)}`;

function load(yaml: string): LoadedConfig {
  return loadConfig({
    file: "/bot/trunkline.yaml",
    env: { BOT_TOKEN, EMPTY: "", WORD: "many" },
    channels: [webChannel, telegramChannel],
    knownProviders: ["demo"],
    files: memoryFiles(yaml, "/bot"),
  });
}

function told(loaded: LoadedConfig): string {
  return formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings]).replaceAll("/bot/", "");
}

const FIXTURES = [
  { file: "broken-configs.txt", ok: false, title: "a broken configuration says where and how to mend it" },
  { file: "valid-configs.txt", ok: true, title: "a valid configuration loads, with warnings where people may be surprised" },
];

// UPDATE_FIXTURES=1 writes the printed lines anew; read the diff.
for (const { file, ok, title } of FIXTURES) {
  const url = new URL(file, import.meta.url);
  const sections = readSections(url);
  if (process.env["UPDATE_FIXTURES"] === "1") {
    writeFileSync(fileURLToPath(url), sections.map(({ name, yaml }) => `=== ${name}\n${yaml}>>>\n${told(load(yaml))}\n\n`).join(""));
  }
  describe(title, () => {
    it.each(sections)("$name", ({ yaml, says }) => {
      const loaded = load(yaml);
      expect(loaded.ok).toBe(ok);
      expect(told(loaded)).toBe(says);
    });
  });
}

it("there are enough broken configurations to trust the messages", () => {
  expect(readSections(new URL("broken-configs.txt", import.meta.url)).length).toBeGreaterThanOrEqual(60);
});
