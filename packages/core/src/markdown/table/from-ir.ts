import type { MarkdownBlock, MarkdownIR } from "@trunkline/plugin-sdk";
import { IRBuilder } from "../builder.ts";
import { editIR, type TextEdit } from "../edits.ts";
import { flattenInline, onOneLine } from "../flat.ts";
import { IRSlicer } from "../slice.ts";
import { appendGrid, type TableCell, type TableContent } from "./table.ts";

type Table = Extract<MarkdownBlock, { kind: "table" }>;

/** An IR in which every table is a grid in code, or a list when that would be too wide: for the text beside blocks that have tables. */
export function gridTables(ir: MarkdownIR, width: number): MarkdownIR {
  const tables = ir.blocks.filter((block) => block.kind === "table");
  if (tables.length === 0) return ir;
  const slicer = new IRSlicer(ir);
  const edits: TextEdit[] = [];
  const grids: { readonly at: number; readonly ir: MarkdownIR }[] = [];
  for (const table of tables) {
    const at = table.rows[0]?.[0]?.start ?? 0;
    const end = table.rows.at(-1)?.at(-1)?.end ?? at;
    const builder = new IRBuilder();
    appendGrid(builder, contentOf(table, ir, slicer), width);
    const grid = builder.finish();
    edits.push({ at, remove: end - at, insert: grid.text });
    grids.push({ at, ir: grid });
  }
  const kept: MarkdownIR = {
    text: ir.text,
    styles: outside(ir.styles, edits),
    links: outside(ir.links, edits),
    mentions: outside(ir.mentions, edits),
    blocks: ir.blocks.filter((block) => block.kind !== "table"),
  };
  const { ir: edited, map } = editIR(kept, edits);
  const added = grids.map(({ at, ir: grid }) => moved(grid, map.before(at)));
  const byStart = (a: { start: number; end: number }, b: { start: number; end: number }): number => a.start - b.start || b.end - a.end;
  return {
    text: edited.text,
    styles: [...edited.styles, ...added.flatMap((grid) => grid.styles)].sort(byStart),
    links: [...edited.links, ...added.flatMap((grid) => grid.links)].sort(byStart),
    mentions: [...edited.mentions, ...added.flatMap((grid) => grid.mentions)].sort(byStart),
    blocks: [...edited.blocks, ...added.flatMap((grid) => grid.blocks)].sort(byStart),
  };
}

/** Spans, in order of their start, that are in none of the removed ranges: what was in a table is in its grid. */
function outside<Span extends { readonly start: number; readonly end: number }>(
  spans: readonly Span[],
  removed: readonly TextEdit[],
): Span[] {
  let next = 0;
  return spans.filter(({ start, end }) => {
    while (next < removed.length && endOf(removed[next]!) <= start) next += 1;
    const range = removed[next];
    return range === undefined || start < range.at || end > endOf(range);
  });
}

function endOf({ at, remove }: TextEdit): number {
  return at + remove;
}

/** The cells of a table in an IR. The slicer only moves forward, so every cell is cut out once, in order. */
function contentOf(table: Table, ir: MarkdownIR, slicer: IRSlicer): TableContent {
  const hasSpans = spanTest(ir);
  const rows = table.rows.map((row) =>
    row.map(({ start, end }): TableCell => {
      if (!hasSpans(start, end)) return plainCell(ir.text.slice(start, end));
      slicer.advance(start);
      const cell: MarkdownIR = { ...slicer.slice(end), blocks: [] };
      return { flat: () => flattenInline(cell), ir: () => cell };
    }),
  );
  return { align: table.align, rows, header: table.continued !== true };
}

/** Most cells are words. */
function plainCell(text: string): TableCell {
  return { flat: () => onOneLine(text), ir: () => ({ text, styles: [], links: [], mentions: [], blocks: [] }) };
}

/** Whether any span touches a range. Asked with growing ranges. */
function spanTest({ styles, links, mentions }: MarkdownIR): (start: number, end: number) => boolean {
  const lists = [styles, links, mentions].map((spans) => ({ spans, next: 0 }));
  return (start, end) =>
    lists.some((list) => {
      while ((list.spans[list.next]?.end ?? Infinity) <= start) list.next += 1;
      return (list.spans[list.next]?.start ?? Infinity) < end;
    });
}

function moved(ir: MarkdownIR, offset: number): MarkdownIR {
  const move = <Span extends { readonly start: number; readonly end: number }>(span: Span): Span => ({
    ...span,
    start: span.start + offset,
    end: span.end + offset,
  });
  return {
    text: ir.text,
    styles: ir.styles.map(move),
    links: ir.links.map(move),
    mentions: ir.mentions.map(move),
    blocks: ir.blocks.map(move),
  };
}
