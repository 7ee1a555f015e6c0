// @ts-check
import { readFileSync, writeFileSync } from "node:fs";

/**
 * One number.
 * @typedef {object} Row
 * @property {string} id The same in every result, to compare by.
 * @property {string} what
 * @property {number} value
 * @property {string} unit
 * @property {{ atMost: number } | { atLeast: number }} [target]
 * @property {readonly number[]} [samples] What the value is the median of.
 */

/** @typedef {{ at: string, machine: object, rows: readonly Row[] }} Result */

/** @param {URL} file @returns {Result | undefined} */
export function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
}

/** @param {URL} file @param {Result} result */
export function writeResult(file, result) {
  const rows = result.rows.map((row) => ({
    ...row,
    value: significant(row.value),
    ...(row.samples ? { samples: row.samples.map(significant) } : {}),
  }));
  writeFileSync(file, `${JSON.stringify({ ...result, rows }, null, 2)}\n`);
}

/** The rows as a plain table, beside their targets and an earlier result. @param {readonly Row[]} rows @param {Result | undefined} baseline */
export function toTable(rows, baseline) {
  const before = new Map(baseline?.rows.map((row) => [row.id, row.value]));
  const lines = [
    ["what", "now", "target", "met", "baseline", "change"],
    ...rows.map((row) => [
      row.what,
      show(row.value, row.unit),
      targetOf(row),
      metBy(row),
      show(before.get(row.id), row.unit),
      changeOf(row, before.get(row.id)),
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "))
    .join("\n");
}

/** @param {Row} row */
function targetOf({ target, unit }) {
  if (target === undefined) return "";
  return "atMost" in target ? `<= ${show(target.atMost, unit)}` : `>= ${show(target.atLeast, unit)}`;
}

/** @param {Row} row */
function metBy({ target, value }) {
  if (target === undefined) return "";
  return ("atMost" in target ? value <= target.atMost : value >= target.atLeast) ? "yes" : "NO";
}

/** @param {Row} row @param {number | undefined} before */
function changeOf({ value }, before) {
  if (before === undefined || before === null || before === 0) return "";
  const percent = Math.round((value / before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

/** @param {number | undefined} value @param {string} unit */
function show(value, unit) {
  if (value === undefined || value === null || Number.isNaN(value)) return "-";
  return unit === "" ? `${significant(value)}` : `${significant(value)} ${unit}`;
}

/** Three digits are more than the noise leaves. @param {number} value */
function significant(value) {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
