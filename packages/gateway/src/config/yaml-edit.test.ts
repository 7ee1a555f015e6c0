import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { setYamlValue } from "./yaml-edit.ts";

const FILE = `# The bot of the team.
version: 1

channels:
  telegram:   # the only one
    accounts:
      main:
        token: \${TELEGRAM_TOKEN}   # from the environment
        allowFrom: ["111", '222'] # people
        groups: { "-100.5": { requireMention: true } }
      empty:

agents:
  defaults: {}
  list:
    - id: aria   # the first
      instructions: |
        You are Aria.

        Be brief.
    - { id: bert }

messages: { silentToken: "NO_REPLY", }
`;

/** The lines that differ: what went and what came. */
function change(path: readonly (string | number)[], value: unknown, text = FILE): readonly string[] {
  const edited = setYamlValue(text, path, value);
  if (edited === undefined) return ["refused"];
  const before = text.split("\n");
  const after = edited.split("\n");
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `-${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+${line}`),
  ];
}

describe("setYamlValue", () => {
  it("changes one value and not a byte of the rest", () => {
    expect(change(["channels", "telegram", "accounts", "main", "token"], "${OTHER}")).toEqual([
      "-        token: ${TELEGRAM_TOKEN}   # from the environment",
      "+        token: ${OTHER}   # from the environment",
    ]);
    expect(change(["channels", "telegram", "accounts", "main", "groups", "-100.5", "requireMention"], false)).toEqual([
      '-        groups: { "-100.5": { requireMention: true } }',
      '+        groups: { "-100.5": { requireMention: false } }',
    ]);
  });

  it("adds a key behind the last one of its map, indented like the first", () => {
    expect(change(["channels", "telegram", "accounts", "main", "dmPolicy"], "allowlist")).toEqual(["+        dmPolicy: allowlist"]);
    expect(change(["agents", "list", 0, "thinking"], "high")).toEqual(["+      thinking: high"]);
    expect(change(["gateway", "port"], 9000)).toEqual(["+gateway:", "+  port: 9000"]);
  });

  it("adds to maps and lists in brackets", () => {
    expect(change(["channels", "telegram", "accounts", "main", "allowFrom", 2], "333")).toEqual([
      `-        allowFrom: ["111", '222'] # people`,
      `+        allowFrom: ["111", '222', "333"] # people`,
    ]);
    expect(change(["agents", "list", 1, "model"], { primary: "demo/guide" })).toEqual([
      "-    - { id: bert }",
      "+    - { id: bert, model: { primary: demo/guide } }",
    ]);
    expect(change(["agents", "defaults", "thinking"], "low")).toEqual(["-  defaults: {}", "+  defaults: { thinking: low }"]);
    expect(change(["messages", "maxInboundAge"], 5000)[1]).toBe('+messages: { silentToken: "NO_REPLY", maxInboundAge: 5000 }');
  });

  it("adds an entry to a list of lines", () => {
    expect(change(["agents", "list", 2], { id: "carl" })).toEqual(["+    - id: carl"]);
  });

  it("fills a key that has nothing", () => {
    expect(change(["channels", "telegram", "accounts", "empty", "token"], "${T}")).toEqual([
      "-      empty:",
      '+      empty: { token: "${T}" }',
    ]);
  });

  it("puts what YAML would misread in quotes", () => {
    expect(change(["owners"], ["telegram:main:1", "*"])).toEqual(["+owners:", "+  - telegram:main:1", '+  - "*"']);
    expect(change(["channels", "telegram", "accounts", "main", "allowFrom"], ["0123", "+49"])[1]).toContain('["0123", "+49"] # people');
    expect(change(["channels", "telegram", "accounts", "main", "groups", "-7"], {})[1]).toContain('"-7": {}');
    expect(change(["messages", "silentToken"], "${X}, {y}")[1]).toContain('"${X}, {y}"');
  });

  it("keeps Windows line ends", () => {
    expect(setYamlValue("version: 1\r\nlogs:\r\n  level: info\r\n", ["logs", "more"], 1)).toBe(
      "version: 1\r\nlogs:\r\n  level: info\r\n  more: 1\r\n",
    );
  });

  it("works without a line end at the end of the file", () => {
    expect(setYamlValue("version: 1", ["logs"], {})).toBe("version: 1\nlogs: {}\n");
  });

  it("does not write through an alias, into a text, or past the end of a list", () => {
    expect(change(["b", "x"], 1, "a: &a { x: 0 }\nb: *a\n")).toEqual(["refused"]);
    expect(change(["version", "x"], 1)).toEqual(["refused"]);
    expect(change(["agents", "list", 5, "id"], "x")).toEqual(["refused"]);
    expect(change(["a"], 1, "a: [1\n")).toEqual(["refused"]);
  });

  it("sets exactly what was meant, whatever the file and the value look like", () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom("*", "#x", "a: b", "- x", "${V}", "0123", "null", "'", "\n"),
    );
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
        scalar,
        { maxKeys: 3 },
      ),
    );
    const paths = [
      ["version"],
      ["new"],
      ["new", "er"],
      ["channels", "telegram", "accounts", "main", "token"],
      ["channels", "telegram", "accounts", "main", "allowFrom"],
      ["channels", "telegram", "accounts", "main", "allowFrom", 1],
      ["channels", "telegram", "accounts", "empty"],
      ["channels", "telegram"],
      ["agents", "list", 0, "instructions"],
      ["agents", "list", 0, "x"],
      ["agents", "list", 1, "x"],
      ["agents", "list", 2],
      ["messages", "x"],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), value, (path, wanted) => {
        const edited = setYamlValue(FILE, path, wanted);
        let here: unknown = parse(edited ?? "");
        for (const part of path) here = (here as Record<string | number, unknown>)[part];
        expect(here).toEqual(wanted);
        expect(edited).toContain("# The bot of the team.");
      }),
      { numRuns: 300 },
    );
  });
});
