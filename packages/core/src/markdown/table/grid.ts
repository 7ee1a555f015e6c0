import type { ColumnAlign } from "@trunkline/plugin-sdk";
import { displayWidth, wrapText } from "./width.ts";

const MIN_COLUMN = 3;
const MIN_WRAPPED_COLUMN = 8;
const GAP = " | ";

/**
 * Rows of flat cells as an aligned grid without outer pipes; the first row is the header, if there is one. Cells wrap when the grid would be wider than
 * `width` columns. Undefined when it does not fit even so: then bullets read better.
 */
export function gridText(
  rows: readonly (readonly string[])[],
  align: readonly (ColumnAlign | undefined)[],
  width: number,
  header = true,
): string | undefined {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const natural = Array.from({ length: columns }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? "")), MIN_COLUMN),
  );
  const widths = fitColumns(natural, width);
  if (widths === undefined) return undefined;
  const lines: string[] = [];
  rows.forEach((row, index) => {
    const cells = widths.map((columnWidth, column) => {
      const cell = row[column] ?? "";
      return natural[column] === columnWidth ? [cell] : wrapText(cell, columnWidth);
    });
    const height = cells.reduce((tallest, cell) => Math.max(tallest, cell.length), 1);
    for (let line = 0; line < height; line += 1) {
      lines.push(
        widths
          .map((columnWidth, column) => pad(cells[column]?.[line] ?? "", columnWidth, align[column]))
          .join(GAP)
          .trimEnd(),
      );
    }
    if (index === 0 && header) lines.push(widths.map((columnWidth) => "-".repeat(columnWidth)).join("-|-"));
  });
  return lines.join("\n");
}

function pad(cell: string, width: number, align: ColumnAlign | undefined): string {
  const room = Math.max(0, width - displayWidth(cell));
  if (align === "right") return " ".repeat(room) + cell;
  const left = align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(left) + cell + " ".repeat(room - left);
}

/** Column widths whose sum fits: narrow columns keep theirs, wide ones share what is left, none below 8. */
function fitColumns(natural: readonly number[], width: number): number[] | undefined {
  const room = width - GAP.length * (natural.length - 1);
  const total = natural.reduce((sum, column) => sum + column, 0);
  if (total <= room) return [...natural];
  const floor = natural.reduce((sum, column) => sum + Math.min(column, MIN_WRAPPED_COLUMN), 0);
  if (floor > room) return undefined;
  const widths = [...natural];
  const order = natural.map((_, index) => index).sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  let left = room;
  order.forEach((column, position) => {
    const share = Math.floor(left / (order.length - position));
    widths[column] = Math.min(natural[column] ?? 0, Math.max(share, MIN_WRAPPED_COLUMN));
    left -= widths[column] ?? 0;
  });
  return widths;
}
