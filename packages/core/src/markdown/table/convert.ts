import type { MarkdownTableMode } from "@trunkline/plugin-sdk";
import { TABLE_WIDTH } from "../options.ts";
import { parseMarkdown } from "../parse/parser.ts";
import type { Token } from "../parse/tokens.ts";
import { gridText } from "./grid.ts";
import { flatCell, readTable, type TableTokens } from "./table.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Markdown with its tables turned into fenced grids (`code`) or lists (`bullets`). Everything outside tables, and the whole input when the
 * mode is `off` or `native` or there is no table, is returned byte for byte.
 */
export function convertMarkdownTables(markdown: string, mode: MarkdownTableMode): string {
  if ((mode !== "code" && mode !== "bullets") || !markdown.includes("|")) return markdown;
  const tokens = parseMarkdown(markdown, { tables: true, linkify: false });
  const tables = tokens.flatMap((token, index) => (token.type === "table_open" && token.map !== null ? [{ index, map: token.map }] : []));
  if (tables.length === 0) return markdown;
  const lines = lineStarts(markdown);
  const out: string[] = [];
  let from = 0;
  for (const { index, map } of tables) {
    const start = lines[map[0]] ?? markdown.length;
    const end = lastLineEnd(markdown, lines, map);
    const first = markdown.slice(start, lines[map[0] + 1] ?? end);
    out.push(
      markdown.slice(from, start),
      prefixed(tableText(readTable(tokens, index), mode), containerPrefix(first, tokens[index] as Token)),
    );
    from = end;
  }
  return out.join("") + markdown.slice(from);
}

function tableText(table: TableTokens, mode: "code" | "bullets"): string {
  if (mode === "bullets") return bulletLines(table);
  const grid = gridText(
    table.rows.map((row) => row.map((cell) => flatCell(cell, NOBODY))),
    table.align,
    TABLE_WIDTH,
  );
  if (grid === undefined) return bulletLines(table);
  const fence = (grid.match(/`{3,}/g) ?? []).reduce((longest, run) => (run.length >= longest.length ? `${run}\`` : longest), "```");
  return `${fence}\n${grid}\n${fence}`;
}

/** The list form as Markdown source: cells keep theirs, but for bold in the first, which is bold as a whole. */
function bulletLines(table: TableTokens): string {
  const [header = [], ...below] = table.rows;
  const body = below.some((row) => row.some((cell) => cell.content.trim() !== "")) ? below : [];
  const titles = header.map((cell) => flatCell(cell, NOBODY));
  if (titles.length === 1 && body.length > 0) {
    return body.map((row) => `• ${titles[0] ?? ""}: ${row[0]?.content ?? ""}`).join("\n");
  }
  const rows = body.length > 0 ? body : [header];
  return rows
    .map((row) =>
      row
        .flatMap((cell, column) => {
          if (cell.content.trim() === "") return [];
          if (column === 0) return [`**${hasBold(cell) ? flatCell(cell, NOBODY) : cell.content}**`];
          return [body.length > 0 ? `• ${titles[column] ?? ""}: ${cell.content}` : `• ${cell.content}`];
        })
        .join("\n"),
    )
    .filter((row) => row !== "")
    .join("\n\n");
}

function hasBold(cell: Token): boolean {
  return (cell.children ?? []).some((child) => child.type === "strong_open");
}

/** Offsets at which lines start, with line ends as the parser sees them. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** Where the last line of a table ends, its line end excluded. Blank lines that the parser counts in are not part of it. */
function lastLineEnd(text: string, lines: readonly number[], map: readonly [number, number]): number {
  let last = map[1] - 1;
  while (last > map[0] && text.slice(lines[last], lines[last + 1]).trim() === "") last -= 1;
  const end = lines[last + 1] ?? text.length;
  return text.slice(lines[last], end).replace(/[\r\n]+$/, "").length + (lines[last] ?? 0);
}

/** What stands before a table in quotes and lists, for its first line and for the ones after it. */
function containerPrefix(line: string, table: Token): { readonly first: string; readonly rest: string } {
  if (table.level === 0) return { first: "", rest: "" };
  const first = /^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*/.exec(line)?.[0] ?? "";
  return { first, rest: first.replace(/[^\s>]/g, " ") };
}

function prefixed(text: string, prefix: { readonly first: string; readonly rest: string }): string {
  return prefix.first + text.replaceAll("\n", `\n${prefix.rest}`);
}
