import type { MarkdownBlock, MarkdownIR, MarkdownLinkSpan, MarkdownMentionSpan, MarkdownStyleSpan } from "@trunkline/plugin-sdk";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans in order of their start, read by a window that only moves forward: every span is passed once, however many windows there are. */
class SpanCursor<S extends Span> {
  readonly #spans: readonly S[];
  #carried: S[] = [];
  #next = 0;

  constructor(spans: readonly S[]) {
    this.#spans = spans;
  }

  /** Moves the start of the window. */
  advance(start: number): void {
    this.#carried = this.#carried.filter((span) => span.end > start);
    for (; this.#next < this.#spans.length; this.#next += 1) {
      const span = this.#spans[this.#next] as S;
      if (span.start >= start) break;
      if (span.end > start) this.#carried.push(span);
    }
  }

  /** Where the span stands that is the `count`th to begin in the window; Infinity when there are fewer. */
  startOf(count: number): number {
    return this.#spans[this.#next + count]?.start ?? Infinity;
  }

  /** Spans that touch the window up to `end`, empty ones at its very end included. */
  upTo(end: number): S[] {
    const found = this.#carried.slice();
    for (let i = this.#next; i < this.#spans.length; i += 1) {
      const span = this.#spans[i] as S;
      if (span.start > end || (span.start === end && span.end > end)) break;
      found.push(span);
    }
    return found;
  }
}

/** Cuts an IR into consecutive slices from left to right. Spans that cross a border are closed there and go on in the next slice. */
export class IRSlicer {
  readonly #ir: MarkdownIR;
  readonly #styles: SpanCursor<MarkdownStyleSpan>;
  readonly #links: SpanCursor<MarkdownLinkSpan>;
  readonly #mentions: SpanCursor<MarkdownMentionSpan>;
  readonly #blocks: SpanCursor<MarkdownBlock>;
  #start = 0;

  constructor(ir: MarkdownIR) {
    this.#ir = ir;
    this.#styles = new SpanCursor(ir.styles);
    this.#links = new SpanCursor(ir.links);
    this.#mentions = new SpanCursor(ir.mentions);
    this.#blocks = new SpanCursor(ir.blocks);
  }

  /** Sets where the next slices begin; never goes back. */
  advance(start: number): void {
    this.#start = start;
    for (const cursor of [this.#styles, this.#links, this.#mentions, this.#blocks]) cursor.advance(start);
  }

  /** The slice from the current start to `end`. */
  slice(end: number): MarkdownIR {
    const start = this.#start;
    const clip = <S extends Span>(span: S): S => ({
      ...span,
      start: Math.max(span.start, start) - start,
      end: Math.max(Math.min(span.end, end), start) - start,
    });
    const solid = <S extends Span>(spans: S[]): S[] => spans.map(clip).filter((span) => span.end > span.start);
    return {
      text: this.#ir.text.slice(start, end),
      styles: solid(this.#styles.upTo(end)),
      links: solid(this.#links.upTo(end).map((link) => this.#cutUrl(link, end))),
      mentions: solid(this.#mentions.upTo(end)),
      blocks: this.#blocks.upTo(end).flatMap((block) => clipBlock(block, clip(block), start, end)),
    };
  }

  #cutUrl(link: MarkdownLinkSpan, end: number): MarkdownLinkSpan {
    const isCut = link.start < this.#start || link.end > end;
    return isCut && this.#ir.text.slice(link.start, link.end) === link.href ? { ...link, cut: true } : link;
  }

  /** Where more than `count` styles or links have begun: few slices that must have fewer entities reach further. */
  crowdedAt(count: number): number {
    return Math.min(this.#styles.startOf(count), this.#links.startOf(count));
  }

  /** Ranges of links and inline code in the window up to `end`, which a cut should not go through. */
  unbreakable(end: number): readonly Span[] {
    const code = this.#styles.upTo(end).filter((span) => span.style === "code");
    return [...this.#links.upTo(end), ...code].sort((a, b) => a.start - b.start);
  }

  /** Whether the position is inside a block of code. */
  inCodeBlock(position: number): boolean {
    return this.#styles.upTo(position).some((span) => span.style === "code_block" && span.start <= position && span.end > position);
  }
}

function clipBlock(block: MarkdownBlock, clipped: MarkdownBlock, start: number, end: number): MarkdownBlock[] {
  if (clipped.kind === "list_item" && block.start < start) return [{ ...clipped, continued: true }];
  if (clipped.kind !== "table") return [clipped];
  const rows = clipped.rows.filter((row) => (row[0]?.start ?? -1) >= start && (row.at(-1)?.end ?? Infinity) <= end);
  const moved = rows.map((row) => row.map((cell) => ({ start: cell.start - start, end: cell.end - start })));
  if (moved.length === 0) return [];
  return [{ ...clipped, rows: moved, ...(rows[0] === clipped.rows[0] ? {} : { continued: true }) }];
}
