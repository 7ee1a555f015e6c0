import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { runCli } from "../../packages/gateway/src/cli/main.ts";
import { ROOT } from "../arch/source-files.ts";
import { allPages, fencesOf, type Page, proseOf, spansOf } from "./pages.ts";

/** Pages that tell people what to type now; decisions tell what was thought then. */
const pages = allPages().filter(({ path }) => !path.startsWith("docs/adr/"));

async function help(...command: readonly string[]): Promise<string> {
  const lines: string[] = [];
  await runCli([...command, "--help"], { out: (text) => lines.push(text), err: (text) => lines.push(text), redactor: createRedactor() });
  return lines.join("\n");
}

/** The commands that --help lists. */
async function commands(): Promise<readonly string[]> {
  const [, list = ""] = (await help()).split("\nCommands:\n");
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
}

/** Everything in a page that is written as something to type. */
function typed(page: Page): readonly string[] {
  return [...spansOf(proseOf(page)), ...fencesOf(page).flatMap(({ text }) => text.split("\n"))];
}

interface Call {
  readonly command: string;
  /** The second word, which may be a subcommand. */
  readonly second: string;
  readonly flags: readonly string[];
}

/** The `trunkline <command> --flag` in a line; up to a comment or a pipe. */
function callsIn(line: string): readonly Call[] {
  return [...line.matchAll(/\btrunkline ([a-z][\w-]*)([^#|`]*)/g)].map(([, command = "", rest = ""]) => ({
    command,
    second: /^ ([a-z][\w-]*)/.exec(rest)?.[1] ?? "",
    flags: [...rest.matchAll(/(?<=\s)--[a-z][\w-]*/g)].map(([flag]) => flag),
  }));
}

describe("the command line in the docs", () => {
  it("names only commands that --help lists", async () => {
    const known = await commands();
    const named = pages.flatMap((page) =>
      typed(page)
        .flatMap(callsIn)
        .map(({ command }) => ({ page: page.path, command })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ command }) => !known.includes(command))).toEqual([]);
  });

  it("names only options that the command has", async () => {
    const calls = pages.flatMap((page) =>
      typed(page)
        .flatMap(callsIn)
        .map((call) => ({ page: page.path, ...call })),
    );
    const wrong = [];
    for (const { page, command, second, flags } of calls) {
      const own = await help(command);
      const known = new RegExp(`^ {2}${second}\\b`, "m").test(own.split("\nCommands:\n")[1] ?? "") ? await help(command, second) : own;
      wrong.push(
        ...flags
          .filter((flag) => !known.includes(`${flag} `) && !known.includes(`${flag}\n`))
          .map((flag) => `${page}: trunkline ${command} ${flag}`),
      );
    }
    expect(wrong).toEqual([]);
  });

  it("is told of in the README, each command", async () => {
    const readme = pages
      .filter(({ path }) => path === "README.md")
      .flatMap(typed)
      .join("\n");
    expect((await commands()).filter((command) => command !== "help" && !readme.includes(`trunkline ${command}`))).toEqual([]);
  });
});

describe("the npm scripts in the docs", () => {
  it("exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) =>
      typed(page).flatMap((line) =>
        [...line.matchAll(/\bnpm (?:run )?(start|test|[a-z]+)\b|\bpnpm@[\d.]+ (?:run )?([a-z]+)/g)].map(
          ([, npm, pnpm]) => npm ?? pnpm ?? "",
        ),
      ),
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
