import type { MarkdownIR, MarkdownStyle, MarkdownStyleSpan } from "@trunkline/plugin-sdk";
import { joinNeighbours } from "./neighbours.ts";

/**
 * Styles in the form that markers need: white space stands outside of them, those of `perLine` end with their line, equal neighbours are one.
 * Code is left as it is.
 */
export function fitStyles(ir: MarkdownIR, perLine: readonly MarkdownStyle[]): readonly MarkdownStyleSpan[] {
  if (ir.styles.length === 0) return ir.styles;
  const fitted: MarkdownStyleSpan[] = [];
  for (const span of ir.styles) {
    if (isCode(span)) fitted.push(span);
    else {
      for (const line of perLine.includes(span.style) ? linesOf(ir.text, span) : [span]) {
        const piece = trimmed(ir.text, line);
        if (piece !== undefined) fitted.push(piece);
      }
    }
  }
  const joined = joinNeighbours(fitted, (span) => (isCode(span) ? undefined : span.style), ir.links);
  return joined.sort((a, b) => a.start - b.start || b.end - a.end);
}

function isCode({ style }: MarkdownStyleSpan): boolean {
  return style === "code" || style === "code_block";
}

function linesOf(text: string, span: MarkdownStyleSpan): MarkdownStyleSpan[] {
  const lines: MarkdownStyleSpan[] = [];
  for (let start = span.start; start < span.end;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 || newline > span.end ? span.end : newline;
    lines.push({ ...span, start, end });
    start = end + 1;
  }
  return lines;
}

function trimmed(text: string, span: MarkdownStyleSpan): MarkdownStyleSpan | undefined {
  let { start, end } = span;
  while (start < end && isSpaceAt(text, start)) start += 1;
  while (end > start && isSpaceAt(text, end - 1)) end -= 1;
  if (start === end) return undefined;
  return start === span.start && end === span.end ? span : { ...span, start, end };
}

function isSpaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code <= 0x20 || (code >= 0xa0 && /\s/.test(text[index] ?? ""));
}
