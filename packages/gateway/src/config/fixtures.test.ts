import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { describe, expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

/** One section of a fixture: a name, a configuration, and all that a person is told about it. */
interface Section {
  readonly name: string;
  readonly yaml: string;
  readonly says: string;
}

const BOT_TOKEN = `123456:${"A".repeat(35)}`;

// Sections are `=== name`, the YAML, `>>>`, and the lines that are printed. UPDATE_FIXTURES=1 writes those lines anew; read the diff.
function readSections(url: URL): readonly Section[] {
  const [, ...sections] = readFileSync(url, "utf8").split(/^=== /m);
  return sections.map((section) => {
    const [name = "", rest = ""] = cut(section, "\n");
    const [yaml = "", says = ""] = cut(rest, ">>>\n");
    return { name, yaml, says: says.trimEnd() };
  });
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

function load(yaml: string): LoadedConfig {
  const read = (path: string): Uint8Array => {
    if (path === "/bot/trunkline.yaml") return new TextEncoder().encode(yaml);
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  };
  return loadConfig({
    file: "/bot/trunkline.yaml",
    env: { BOT_TOKEN, EMPTY: "", WORD: "many" },
    channels: [webChannel, telegramChannel],
    knownProviders: ["demo"],
    files: { read, mode: () => 0o600 },
  });
}

function told(loaded: LoadedConfig): string {
  return formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings]).replaceAll("/bot/trunkline.yaml", "trunkline.yaml");
}

const FIXTURES = [
  { file: "broken-configs.txt", ok: false, title: "a broken configuration says where and how to mend it" },
  { file: "valid-configs.txt", ok: true, title: "a valid configuration loads, with warnings where people may be surprised" },
];

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
