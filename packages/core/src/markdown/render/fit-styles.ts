import type { MarkdownIR, MarkdownLinkSpan, MarkdownStyleSpan, MarkingRules } from "@trunkline/plugin-sdk";
import { joinNeighbours } from "./neighbours.ts";

/**
 * Styles in the form that markers need: white space stands outside of them, those of `perLine` end with their line, equal neighbours are one.
 * Code is left as it is, but for that in plain labels.
 */
export function fitStyles(ir: MarkdownIR, rules?: Omit<MarkingRules, "border">): readonly MarkdownStyleSpan[] {
  if (ir.styles.length === 0) return ir.styles;
  const fitted: MarkdownStyleSpan[] = [];
  const perLine = rules?.perLine ?? [];
  const styles = rules?.plainLabels === true ? outOfLabels(ir.styles, ir.links) : ir.styles;
  for (const span of styles) {
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

/** The styles that are not inside of a link. Both lists are in order, and links do not overlap. */
function outOfLabels(styles: readonly MarkdownStyleSpan[], links: readonly MarkdownLinkSpan[]): readonly MarkdownStyleSpan[] {
  let next = 0;
  return styles.filter((span) => {
    while (next < links.length && (links[next]?.end ?? 0) <= span.start) next += 1;
    const link = links[next];
    if (link === undefined || link.start > span.start || span.end > link.end || span.style === "spoiler") return true;
    return !isCode(span) && span.start === link.start && span.end === link.end;
  });
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
