import type { ChunkMode, MarkdownIR } from "@trunkline/plugin-sdk";
import type { IRSlicer } from "./slice.ts";

/** Where a slice ends, and where the next one begins: the separator between them is dropped. */
export interface Break {
  readonly end: number;
  readonly next: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const PARAGRAPH = 3;
const LINE = 2;
/** A line inside a list item. */
const ITEM_LINE = 1;
/** A break that leaves a slice emptier than this is taken only to keep a unit whole. */
const MIN_FILL = 0.3;
/** Longer parentheses may be cut. */
const MAX_PARENTHESIS = 200;
/** Units of a character with its marks. A longer heap of marks is cut, for it is looked through at every cut. */
const MAX_GRAPHEME = 1024;
const SENTENCE_ENDS = ".!?…";
const WIDE_SENTENCE_ENDS = "。！？";
const CLOSERS = "\"')]}»”’";

/**
 * Finds where to cut, by preference: between paragraphs, between lines (list items, table rows and lines of code are lines), between
 * sentences, between words, between graphemes. Links, inline code and short parentheses are kept whole when they fit.
 */
export class BreakFinder {
  readonly #text: string;
  readonly #wholeParagraphs: boolean;
  readonly #slicer: IRSlicer;
  readonly #at: number[] = [];
  readonly #rank: number[] = [];
  /** Units of the separator: a line end, or a blank line. */
  readonly #width: number[] = [];
  /** Rows of the platform's own tables, in order. */
  readonly #rows: readonly Range[];
  readonly #segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

  constructor(ir: MarkdownIR, slicer: IRSlicer, mode: ChunkMode = "length") {
    this.#wholeParagraphs = mode === "paragraph";
    this.#text = ir.text;
    this.#slicer = slicer;
    this.#rankLines(ir);
    this.#rows = ir.blocks.flatMap((block) =>
      block.kind === "table" ? block.rows.map((row) => ({ start: row[0]?.start ?? 0, end: row.at(-1)?.end ?? 0 })) : [],
    );
  }

  #rankLines(ir: MarkdownIR): void {
    const items = ir.blocks.filter((block) => block.kind === "list_item");
    const code = ir.styles.filter((span) => span.style === "code_block");
    // A line that is only an item without text looks like a blank line.
    const emptyItems = new Set(items.filter((item) => item.start === item.end).map((item) => item.start));
    let nextItem = 0;
    let itemEnd = -1;
    let nextCode = 0;
    for (let at = ir.text.indexOf("\n"); at >= 0;) {
      for (; nextItem < items.length && (items[nextItem]?.start ?? 0) <= at; nextItem += 1)
        itemEnd = Math.max(itemEnd, items[nextItem]?.end ?? 0);
      while (nextCode < code.length && (code[nextCode]?.end ?? 0) <= at) nextCode += 1;
      const inCode = (code[nextCode]?.start ?? Infinity) <= at;
      const double = !inCode && ir.text.charCodeAt(at + 1) === 0x0a && !emptyItems.has(at + 1);
      this.#at.push(at);
      this.#width.push(double ? 2 : 1);
      this.#rank.push(itemEnd > at ? ITEM_LINE : double ? PARAGRAPH : LINE);
      at = ir.text.indexOf("\n", at + (double ? 2 : 1));
    }
  }

  /** The best break after `start` and not after `limit`, in messages of `size`. Always makes progress. */
  find(start: number, limit: number, size: number): Break {
    const row = this.#rowAround(limit);
    if (row !== undefined && row.start > start) return { end: row.start - 1, next: row.start };
    const filled = start + Math.floor((limit - start) * MIN_FILL);
    const whole = this.#wholeRanges(start, limit);
    const line = this.#line(start, limit, filled, size);
    if (line !== undefined) return line;
    const sentence = this.#scan(filled, limit, whole, true);
    if (sentence !== undefined) return sentence;
    const word = this.#scan(start, limit, whole, false);
    const anyLine = this.#latestLine(start, limit, ITEM_LINE);
    if (word !== undefined && (anyLine === undefined || word.end > anyLine.end)) return word;
    return anyLine ?? this.#grapheme(start, limit, whole);
  }

  /** The row of a table that a cut would go through. */
  #rowAround(position: number): Range | undefined {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle]?.end ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    const row = this.#rows[low];
    return row !== undefined && row.start < position ? row : undefined;
  }

  /** The end of the first grapheme after `start`. */
  firstGrapheme(start: number): number {
    for (let size = 64; ; size *= 4) {
      const window = this.#text.slice(start, start + size);
      const first = this.#segmenter.segment(window).containing(0);
      const length = first?.segment.length ?? 1;
      if (length < window.length || start + size >= this.#text.length) return start + length;
      if (size >= MAX_GRAPHEME) return start + length - (isHighSurrogate(window.charCodeAt(length - 1)) ? 1 : 0);
    }
  }

  /** Links, inline code and the parenthesis around `limit`: kept in one piece when they fit and did not begin the slice. */
  #wholeRanges(start: number, limit: number): readonly Range[] {
    const ranges = this.#slicer.unbreakable(limit).filter((span) => span.end - span.start <= limit - start && span.start > start);
    const from = Math.max(start + 1, limit - MAX_PARENTHESIS);
    const open = from + this.#text.slice(from, limit).lastIndexOf("(");
    if (open < from) return ranges;
    const window = this.#text.slice(open + 1, open + MAX_PARENTHESIS);
    const close = window.search(/[()\n]/);
    if (close < 0 || window[close] !== ")" || open + close + 2 <= limit || close + 2 > limit - start) return ranges;
    const parenthesis = { start: open, end: open + close + 2 };
    return [...ranges.filter((range) => range.end <= open || range.start >= parenthesis.end), parenthesis].sort(
      (a, b) => a.start - b.start,
    );
  }

  #line(start: number, limit: number, filled: number, size: number): Break | undefined {
    const paragraph = this.#latestLine(this.#wholeParagraphs ? start : filled, limit, PARAGRAPH);
    if (paragraph !== undefined) return paragraph;
    const line = this.#latestLine(filled, limit, LINE);
    if (line !== undefined) return line;
    const early = this.#latestLine(start, limit, LINE);
    if (early !== undefined && this.#unitEnd(limit) - early.next <= size) return early;
    return this.#latestLine(filled, limit, ITEM_LINE);
  }

  #latestLine(after: number, limit: number, rank: number): Break | undefined {
    for (let i = this.#indexAfter(limit) - 1; i >= 0; i -= 1) {
      const at = this.#at[i] ?? 0;
      if (at <= after) return undefined;
      if ((this.#rank[i] ?? 0) < rank) continue;
      return { end: at, next: at + (this.#width[i] ?? 1) };
    }
    return undefined;
  }

  /** Where the paragraph, item or line that `position` is in ends. */
  #unitEnd(position: number): number {
    for (let i = this.#indexAfter(position); i < this.#at.length; i += 1) if ((this.#rank[i] ?? 0) >= LINE) return this.#at[i] ?? 0;
    return this.#text.length;
  }

  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last end of a sentence or word in (after, limit]. */
  #scan(after: number, limit: number, whole: readonly Range[], sentences: boolean): Break | undefined {
    let span = whole.length - 1;
    for (let at = limit; at > after; at -= 1) {
      while (span >= 0 && (whole[span]?.start ?? 0) >= at) span -= 1;
      const inside = whole[span];
      if (inside !== undefined && inside.end > at) {
        at = inside.start + 1;
        continue;
      }
      const space = this.#text.charCodeAt(at) === 0x20;
      const fits = sentences ? this.#endsSentence(at, space) : space;
      if (fits && !this.#splitsGrapheme(at)) return { end: at, next: this.#slicer.inCodeBlock(at) ? at : this.#skipSpaces(at) };
    }
    return undefined;
  }

  #endsSentence(at: number, space: boolean): boolean {
    let last = at - 1;
    if (WIDE_SENTENCE_ENDS.includes(this.#text[last] ?? " ")) return true;
    if (!space) return false;
    while (last > 0 && CLOSERS.includes(this.#text[last] ?? " ")) last -= 1;
    return SENTENCE_ENDS.includes(this.#text[last] ?? " ");
  }

  #skipSpaces(at: number): number {
    let next = at;
    while (this.#text.charCodeAt(next) === 0x20) next += 1;
    return next;
  }

  /** Whether a mark, joiner or selector after the position belongs to the character before it. */
  #splitsGrapheme(at: number): boolean {
    const space = this.#text.charCodeAt(at) === 0x20 ? 1 : 0;
    return /^[\p{M}\u200c\u200d]/u.test(this.#text.slice(at + space, at + space + 2));
  }

  #grapheme(start: number, limit: number, whole: readonly Range[]): Break {
    const cut = whole.find((span) => span.start < limit && span.end > limit)?.start ?? limit;
    const end = this.#boundary(start, cut);
    return { end, next: end };
  }

  /** The last grapheme border in (start, limit], or the end of the first grapheme. */
  #boundary(start: number, limit: number): number {
    if (limit >= this.#text.length) return this.#text.length;
    if (this.#text.charCodeAt(limit) < 0x300 && this.#text.charCodeAt(limit - 1) < 0x300) {
      return limit;
    }
    const window = this.#text.slice(start, limit + 200);
    const index = this.#segmenter.segment(window).containing(limit - start)?.index ?? 0;
    return index > 0 ? start + index : this.firstGrapheme(start);
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
