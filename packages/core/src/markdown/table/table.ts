import type { ColumnAlign, MarkdownIR, TableCellRange } from "@trunkline/plugin-sdk";
import type { IRBuilder } from "../builder.ts";
import { flattenInline } from "../flat.ts";
import { inlineIR, type AllowedMentions } from "../inline.ts";
import type { Token } from "../parse/tokens.ts";
import { gridText } from "./grid.ts";

/** A parsed table: inline tokens per cell, the header first. */
export interface TableTokens {
  readonly align: readonly (ColumnAlign | undefined)[];
  readonly rows: readonly (readonly Token[])[];
  /** Index of the token after table_close. */
  readonly next: number;
}

/** Reads the table whose table_open stands at `index`. */
export function readTable(tokens: readonly Token[], index: number): TableTokens {
  const align: (ColumnAlign | undefined)[] = [];
  const rows: Token[][] = [];
  let at = index + 1;
  for (; at < tokens.length && tokens[at]?.type !== "table_close"; at += 1) {
    const token = tokens[at] as Token;
    if (token.type === "tr_open") rows.push([]);
    else if (token.type === "th_open") align.push(alignOf(token));
    else if (token.type === "inline") rows.at(-1)?.push(token);
  }
  return { align, rows, next: at + 1 };
}

function alignOf(token: Token): ColumnAlign | undefined {
  const style = String(token.attrGet("style") ?? "");
  if (style.endsWith("center")) return "center";
  if (style.endsWith("right")) return "right";
  return style.endsWith("left") ? "left" : undefined;
}

/** A cell's text on one line. */
export function flatCell(cell: Token, mentions: AllowedMentions): string {
  const [only, more] = cell.children ?? [];
  if (only === undefined) return "";
  if (more === undefined && only.type === "text") return only.content.trim();
  return flattenInline(inlineIR(cell.children ?? [], mentions));
}

/** A cell: on one line of plain text, and with its styles. */
export interface TableCell {
  flat(): string;
  ir(): MarkdownIR;
}

/** A table's cells, wherever they come from. */
export interface TableContent {
  readonly align: readonly (ColumnAlign | undefined)[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Whether the first row is the header. It is not where a table goes on that an earlier message began. */
  readonly header: boolean;
}

/** The cells of a parsed table. */
export function contentOf({ align, rows }: TableTokens, mentions: AllowedMentions): TableContent {
  const cellOf = (cell: Token): TableCell => ({
    flat: () => flatCell(cell, mentions),
    ir: () => inlineIR(cell.children ?? [], mentions),
  });
  return { align, rows: rows.map((row) => row.map(cellOf)), header: true };
}

/** Appends a table as a grid in a code block; as bullets when it would be too wide. */
export function appendGrid(builder: IRBuilder, table: TableContent, width: number): void {
  const rows = table.rows.map((row) => row.map((cell) => cell.flat()));
  const grid = gridText(rows, table.align, width, table.header);
  if (grid === undefined) return appendBullets(builder, table);
  const block = builder.openBlock({ kind: "code_block", start: 0, end: 0 });
  const start = builder.length;
  builder.append(grid);
  builder.addStyle(start, "code_block");
  builder.closeBlock(block);
}

/**
 * Appends a table as lists: the first cell of a row in bold, the others as `• Header: value` with their styles, a blank line between rows.
 * A table of one column is a plain list; a table of nothing but headers shows those, also when its cells are empty.
 */
export function appendBullets(builder: IRBuilder, table: TableContent): void {
  const [header = [], ...rows] = table.header ? table.rows : [[], ...table.rows];
  const body = rows.some((row) => row.some((cell) => cell.flat() !== "")) ? rows : [];
  const titles = header.map((cell) => cell.flat());
  if (titles.length === 1 && body.length > 0) {
    body.forEach((row) => {
      appendBullet(builder, titles[0] ?? "", row[0]?.ir() ?? EMPTY);
      builder.separate("\n");
    });
    return;
  }
  for (const row of body.length > 0 ? body : [header]) {
    row.forEach((cell, column) => {
      if (column === 0) appendBold(builder, cell);
      else appendBullet(builder, body.length > 0 ? (titles[column] ?? "") : "", cell.ir());
    });
    builder.separate("\n\n");
  }
}

const EMPTY: MarkdownIR = { text: "", styles: [], links: [], mentions: [], blocks: [] };

/** The cell on one line, in bold as a whole; a link's target is printed with it. */
function appendBold(builder: IRBuilder, cell: TableCell): void {
  const flat = cell.flat();
  if (flat === "") return;
  const styled = cell.ir();
  const isPlain = styled.links.length > 0 || styled.text.includes("\n");
  builder.settle();
  builder.openStyle("bold");
  if (isPlain) builder.append(flat);
  else builder.appendIR({ ...styled, styles: styled.styles.filter(({ style }) => style !== "bold") });
  builder.closeStyle("bold");
  builder.separate("\n");
}

function appendBullet(builder: IRBuilder, title: string, value: MarkdownIR): void {
  if (value.text.trim() === "") return;
  builder.append(title === "" ? "• " : `• ${title}: `);
  builder.appendIR(value);
  builder.separate("\n");
}

/** Appends a table as a table, for platforms that have them: cells keep their styles, and the block knows where each stands. */
export function appendNative(builder: IRBuilder, table: TableTokens, mentions: AllowedMentions): void {
  const rows: TableCellRange[][] = [];
  const block = builder.openBlock({ kind: "table", start: 0, end: 0, align: table.align, rows });
  table.rows.forEach((row, index) => {
    if (index > 0) builder.append("\n");
    rows.push(
      row.map((cell, column) => {
        if (column > 0) builder.append(" | ");
        return builder.appendIR(inlineIR(cell.children ?? [], mentions));
      }),
    );
  });
  builder.closeBlock(block);
}
