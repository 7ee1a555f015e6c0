import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../arch/source-files.ts";
import { isThere, proseOf, readPage, spansOf } from "./pages.ts";

/** Paths in these pages that do not begin at the root are below this folder; the pages say so. */
const BASE = "packages/core/src";

/** A file with a known ending and a folder before it, a folder with a slash at its end, or a root file in capitals. */
const PATH =
  /^(?:[\w.-]+\/)+(?:[\w.-]+\.(?:ts|mjs|js|md|json|yaml|txt))?$|^(?:packages|docs|test|config)(?:\/[\w.-]+)+$|^[\w-]+\.(?:ts|md|yaml)$/;

function pathsIn(page: string): readonly string[] {
  return spansOf(proseOf(readPage(page))).filter((span) => PATH.test(span));
}

function where(path: string): string | undefined {
  return [path, `${BASE}/${path}`].find(isThere);
}

describe.each(["docs/map.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/durability.md"])("%s", (page) => {
  it("names paths", () => {
    expect(pathsIn(page).length).toBeGreaterThan(5);
  });

  it("names no path that is not there", () => {
    expect(pathsIn(page).filter((path) => where(path) === undefined)).toEqual([]);
  });
});

describe("the decision records", () => {
  const records = readdirSync(join(ROOT, "docs/adr"));

  it.each(records)("%s names no path that is not there", (record) => {
    // Bare names such as `secrets/` are not of the repository.
    const wrong = pathsIn(`docs/adr/${record}`).filter((path) => /^(?:packages|docs|test|config)\//.test(path) && !isThere(path));
    expect(wrong).toEqual([]);
  });

  it.each(records)("%s is short and answers the five questions", (record) => {
    const { text } = readPage(`docs/adr/${record}`);
    expect(record).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(text.split("\n").length - 1).toBeLessThanOrEqual(60);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
      "Question",
      "Forces",
      "Choice",
      "What we gave up",
      "How we would notice that it was wrong",
    ]);
  });
});

describe("the spine in ARCHITECTURE.md", () => {
  const rows = readPage("ARCHITECTURE.md")
    .text.split("\n")
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => line.split(" | "))
    .map((cells) => ({ files: spansOf(cells[2] ?? ""), names: spansOf(cells[3] ?? "") }));

  it("has its steps", () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
  });

  it.each(rows.filter(({ names }) => names.length > 0))("finds $names in $files", ({ files, names }) => {
    for (const file of files) {
      const text = readFileSync(join(ROOT, where(file) ?? file), "utf8");
      for (const name of names) expect(text).toMatch(new RegExp(`(?:function\\*?|class|const|async) ${name}\\b`));
    }
  });
});

describe("docs/map.md", () => {
  it("leads to every folder of the pipeline", () => {
    const mapped = pathsIn("docs/map.md").map((path) => where(path) ?? "");
    const folders = readdirSync(join(ROOT, BASE), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !mapped.some((path) => path.startsWith(`${BASE}/${name}/`)))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  it("can be read in a few minutes", () => {
    expect(readPage("CONTRIBUTING.md").text.split("\n").length - 1).toBeLessThanOrEqual(80);
  });

  it("names every architecture test", () => {
    const named = pathsIn("CONTRIBUTING.md");
    const tests = readdirSync(join(ROOT, "test/arch")).filter((name) => name.endsWith(".test.ts"));
    expect(tests.filter((name) => !named.includes(`test/arch/${name}`))).toEqual([]);
  });
});
