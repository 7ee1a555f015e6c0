import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MatrixRow } from "./matrix.ts";

const PAGE = fileURLToPath(new URL("../../../docs/durability.md", import.meta.url));
const HEAD = ["story", "channel", "points", "killed", "every answer once", "doubled by policy", "missing by policy", "not reached"];

/** The rows as a Markdown table. */
export function matrixTable(rows: readonly MatrixRow[]): string {
  const cells = rows.map(({ story, channel, points, killed, once, doubled, missing, notReached }) =>
    [story, channel, points, killed, once, doubled, missing, notReached].join(" | "),
  );
  const sum = (name: "points" | "killed" | "once" | "doubled" | "missing" | "notReached"): number =>
    rows.reduce((total, row) => total + row[name], 0);
  const all = ["all", "", sum("points"), sum("killed"), sum("once"), sum("doubled"), sum("missing"), sum("notReached")].join(" | ");
  return [HEAD.join(" | "), HEAD.map(() => "---").join(" | "), ...cells, all].map((line) => `| ${line} |`).join("\n");
}

/** Writes the rows of a channel into docs/durability.md, in place of those of an earlier run. */
export function writeMatrix(channel: string, rows: readonly MatrixRow[]): void {
  const [begin, end] = [`<!-- crash matrix ${channel}: written by \`pnpm crash\` -->`, `<!-- end of crash matrix ${channel} -->`];
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/durability.md has no place for the matrix: ${begin}`);
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n\n${matrixTable(rows)}\n\n${page.slice(to)}`);
}
