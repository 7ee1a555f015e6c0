import type { MarkdownIR, MarkdownStyle, MessageEntity, MessageEntityType } from "@trunkline/plugin-sdk";
import type { Layout } from "./layout.ts";
import { joinNeighbours } from "./neighbours.ts";

/** Telegram's own order for entities of one range: what may hold others comes first. */
const ORDER: readonly MessageEntityType[] = ["blockquote", "pre", "code", "text_link", "bold", "italic", "strikethrough", "spoiler"];

const TYPES: Readonly<Record<MarkdownStyle, MessageEntityType>> = {
  bold: "bold",
  italic: "italic",
  strikethrough: "strikethrough",
  spoiler: "spoiler",
  code: "code",
  code_block: "pre",
};

interface Range {
  readonly type: MessageEntityType;
  readonly start: number;
  readonly end: number;
  readonly url?: string;
  readonly language?: string;
}

/** Text as the server will store it, and the entities that it accepts for it. */
export interface SpanText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/**
 * Entities by the rules of the Bot API: code and links contain nothing and win over styles (a link over code inside it), quotes contain
 * everything but quotes, equal neighbours are one, the text is trimmed as the server trims it. Inline code in a spoiler or struck out is
 * no code, for it would be shown, or mean the opposite. Bare URLs get no entity: clients find them.
 */
export function renderSpans(layout: Layout): SpanText {
  const { ir, quotes } = layout;
  const links = ir.links
    .filter((link) => ir.text.slice(link.start, link.end) !== link.href)
    .map(({ start, end, href }): Range => ({ type: "text_link", start, end, url: href }));
  const code = outside(outside(codeRanges(ir), links), overriding(ir));
  const fixed = [...code, ...links].sort((a, b) => a.start - b.start);
  const styles: Range[] = [];
  for (const { start, end, style } of ir.styles) {
    if (style !== "code" && style !== "code_block") styles.push({ type: TYPES[style], start, end });
  }
  const ranges = [...quotes.map((quote): Range => ({ type: "blockquote", ...quote })), ...fixed, ...around(styles, code)];
  return trimmed(ir.text, mergeNeighbours(ranges));
}

function codeRanges(ir: MarkdownIR): Range[] {
  const languages = new Map<number, string | undefined>();
  for (const block of ir.blocks) if (block.kind === "code_block") languages.set(block.start, block.language);
  const ranges: Range[] = [];
  for (const { start, end, style } of ir.styles) {
    if (style === "code") ranges.push({ type: "code", start, end });
    else if (style === "code_block") {
      const language = languages.get(start);
      ranges.push({ type: "pre", start, end, ...(language === undefined ? {} : { language }) });
    }
  }
  return ranges;
}

/** Where styles stand that must not be lost to inline code inside them; overlapping ones joined. */
function overriding(ir: MarkdownIR): Range[] {
  const joined: Range[] = [];
  for (const { start, end, style } of ir.styles) {
    if (style !== "spoiler" && style !== "strikethrough") continue;
    const last = joined.at(-1);
    if (last !== undefined && start < last.end) joined[joined.length - 1] = { ...last, end: Math.max(last.end, end) };
    else joined.push({ type: TYPES[style], start, end });
  }
  return joined;
}

/** The ranges that touch none of the others. Both lists are in order, and the others do not overlap. */
function outside(ranges: readonly Range[], others: readonly Range[]): Range[] {
  if (others.length === 0) return [...ranges];
  let at = 0;
  return ranges.filter((range) => {
    while (at < others.length && (others[at]?.end ?? 0) <= range.start) at += 1;
    const other = others[at];
    return other === undefined || other.start >= range.end;
  });
}

/** Styles with the code inside them cut out. */
function around(styles: readonly Range[], code: readonly Range[]): Range[] {
  if (code.length === 0) return [...styles];
  const pieces: Range[] = [];
  let first = 0;
  for (const style of styles) {
    while (first < code.length && (code[first]?.end ?? 0) <= style.start) first += 1;
    let start = style.start;
    for (let i = first; i < code.length && (code[i] as Range).start < style.end; i += 1) {
      const hole = code[i] as Range;
      if (hole.start > start) pieces.push({ ...style, start, end: hole.start });
      start = Math.max(start, hole.end);
    }
    if (start < style.end) pieces.push({ ...style, start });
  }
  return pieces;
}

/** Equal neighbours joined, in the platform's order. Quotes and code blocks stay apart: each is one block. */
function mergeNeighbours(ranges: readonly Range[]): Range[] {
  const joined = joinNeighbours(ranges, ({ type, url }) => (type === "blockquote" || type === "pre" ? undefined : `${type} ${url ?? ""}`));
  return joined.sort((a, b) => a.start - b.start || b.end - a.end || ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
}

/**
 * Trims the ends as the server does: white space at the end always, at the start only up to the first entity, so that the indentation
 * of code is kept. [td MessageEntity.cpp, fix_formatted_text]
 */
function trimmed(source: string, ranges: readonly Range[]): SpanText {
  const end = source.trimEnd().length;
  const solid = ranges.filter((range) => range.start < end && hasText(source, range, end));
  const limit = Math.min(end, solid[0]?.start ?? end);
  let start = 0;
  while (start < limit && isBlank(source.charCodeAt(start))) start += 1;
  const entities = solid.map((range): MessageEntity => {
    const offset = range.start - start;
    const length = Math.min(range.end, end) - range.start;
    if (range.url !== undefined) return { type: range.type, offset, length, url: range.url };
    return range.language === undefined
      ? { type: range.type, offset, length }
      : { type: range.type, offset, length, language: range.language };
  });
  return { text: source.slice(start, end), entities };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a;
}

/** White space alone cannot be styled: the server drops such entities. Ranges of code may start with it. */
function hasText(source: string, range: Range, end: number): boolean {
  for (let at = range.start; at < Math.min(range.end, end); at += 1) if (!isBlank(source.charCodeAt(at))) return true;
  return false;
}
