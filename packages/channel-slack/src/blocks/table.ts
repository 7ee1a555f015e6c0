import type { MarkdownIR } from "@trunkline/plugin-sdk";
import type { InlineReader } from "./inline.ts";
import type { Table } from "./segments.ts";
import { BLOCK_LIMITS, type InlineElement, type TableBlock, type TableCell } from "./shapes.ts";

/** A table, and up to which offset of the text it keeps the platform's limits. */
export interface BuiltTable {
  readonly block: TableBlock;
  readonly fits: number;
}

/** A table block: cells keep their styles and links, the header is bold, every column wraps. */
export function buildTable(ir: MarkdownIR, table: Table, reader: InlineReader): BuiltTable {
  const columns = table.rows.reduce((most, row) => Math.max(most, row.length), 1);
  const rows: TableCell[][] = [];
  let fits = ir.text.length;
  let size = 0;
  for (const [index, row] of table.rows.entries()) {
    const contents = row.map(({ start, end }) => reader.take(start, end));
    const cells = contents.map((elements) => cellOf(elements, index === 0 && table.continued !== true));
    while (cells.length < columns) cells.push(EMPTY);
    size += contents.reduce((sum, elements) => sum + Math.max(1, sizeOf(elements)), 0);
    if (index >= BLOCK_LIMITS.tableRows || size > BLOCK_LIMITS.tableText) fits = Math.min(fits, beforeRow(row, index));
    rows.push(cells);
  }
  const settings = Array.from({ length: columns }, (_, column) => ({ align: table.align[column] ?? "left", is_wrapped: true }) as const);
  return { block: { type: "table", rows, column_settings: settings }, fits };
}

/** Where a table has to end so that a row is not in it; the first row itself has to be cut. */
function beforeRow(row: Table["rows"][number], index: number): number {
  const start = row[0]?.start ?? 0;
  return index > 0 ? start : Math.max(1, start + (((row.at(-1)?.end ?? start) - start) >> 1));
}

/** The platform refuses a cell without text. */
const EMPTY: TableCell = { type: "raw_text", text: " " };

function cellOf(elements: readonly InlineElement[], header: boolean): TableCell {
  const [only, more] = elements;
  if (only === undefined) return EMPTY;
  if (!header && more === undefined && only.type === "text" && only.style === undefined) return { type: "raw_text", text: only.text };
  const shown = header ? elements.map(bold) : elements;
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements: shown }] };
}

function bold(element: InlineElement): InlineElement {
  return element.type === "text" || element.type === "link" ? { ...element, style: { ...element.style, bold: true } } : element;
}

function sizeOf(elements: readonly InlineElement[]): number {
  return elements.reduce((sum, element) => {
    if (element.type === "text") return sum + element.text.length;
    // A mention is shown as a name that is not known here.
    return sum + (element.type === "link" ? element.url.length + (element.text?.length ?? 0) : 30);
  }, 0);
}
