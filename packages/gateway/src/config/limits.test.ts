import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { expect, it } from "vitest";
import { memoryFiles } from "./fake-files.ts";
import { formatIssues } from "./issue.ts";
import { loadConfig } from "./load.ts";
import { LARGE_CONFIGS } from "./large-configs.ts";

/** What a person is told about a configuration, line by line. */
function told(yaml: string): readonly string[] {
  const loaded = loadConfig({
    file: "/bot/trunkline.yaml",
    env: {},
    channels: [webChannel, telegramChannel],
    knownProviders: ["demo"],
    files: memoryFiles(yaml, "/bot"),
  });
  const issues = [...(loaded.ok ? [] : loaded.issues), ...loaded.warnings];
  return issues.length === 0 ? [] : formatIssues(issues).replaceAll("/bot/", "").split("\n");
}

const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

it.each(Object.entries(LARGE_CONFIGS))("%s are refused in a few lines", (_, yaml) => {
  const lines = told(yaml);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(410);
  expect(lines.join("").length).toBeLessThan(60_000);
});

it("a configuration of too many values is refused where they become too many", () => {
  expect(told(`version: 1\n${times(60_000, (index) => `key${index}: 1`)}`)).toEqual([
    "trunkline.yaml:10001:8  the configuration holds too many values",
    "    Remove what is not needed; long texts belong into files of their own, such as instructions: ./agents/aria.md.",
  ]);
});

it("its files count together, and each alone may be small", () => {
  const agents = (name: string): string => `agents:\n  list:\n${times(1700, (index) => `    - { id: ${name}${index}, thinking: low }`)}\n`;
  const one = `version: 1\ninclude: [./a.yaml]\n@@ a.yaml\n${agents("a")}`;
  expect(told(one)).toEqual([]);
  expect(told(one.replace("[./a.yaml]", "[./a.yaml, ./b.yaml]") + `@@ b.yaml\n${agents("b")}`)[0]).toMatch(
    /^b\.yaml:\d+:\d+ {2}the configuration holds too many values$/,
  );
});

it("a thousand agents, and long instructions in the file, are not too many", () => {
  const prose = times(1000, () => "        Answer briefly, kindly, and in the language of the question: nobody likes to wait.");
  const agents = times(1000, (index) => `    - { id: a${index}, identity: { name: A }, thinking: low }`);
  expect(told(`version: 1\nagents:\n  list:\n    - id: first\n      instructions: |\n${prose}\n${agents}\n`)).toEqual([]);
});

it("of many mistakes the first hundred are told, and how many there are besides", () => {
  const lines = told(`version: 1\n${times(3000, (index) => `key${index}: 1`)}`);
  expect(lines.filter((line) => line.includes("unknown key"))).toHaveLength(100);
  expect(lines.slice(-2)).toEqual([
    "trunkline.yaml:102:1  key100: this and what follows is not told: 2900 more",
    "    Mend the ones above first.",
  ]);
});

it("of many names a few are listed", () => {
  const agents = times(500, (index) => `    - { id: agent${index} }`);
  const lines = told(`version: 1\nagents:\n  list:\n${agents}\nbindings: [ { agent: zz, match: {} } ]\n`);
  expect(lines[1]).toMatch(/agent0, .*, agent19 and 480 more\. Add it to agents\.list\.$/);
});

it("a folder of agents holds at most a thousand", () => {
  const files = times(1001, (index) => `@@ agents/a${index}.yaml\nthinking: low`);
  expect(told(`version: 1\n${files}\n`)).toEqual([
    "agents  the folder of agents holds more than 1000 files",
    "    Move what is not an agent elsewhere.",
  ]);
});
