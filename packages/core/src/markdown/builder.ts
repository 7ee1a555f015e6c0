import type { MarkdownBlock, MarkdownIR, MarkdownStyle } from "@trunkline/plugin-sdk";

type Writable<T> = { -readonly [key in keyof T]: T[key] };
type WritableBlock = Writable<MarkdownBlock>;

/**
 * Collects the text of an IR and its spans. Spans are recorded when they open, so the lists are in document order with a container
 * before its contents; those that turn out empty are dropped at the end.
 */
export class IRBuilder {
  /** Finished pieces and the one being written. Reading a growing string would copy it each time. */
  readonly #pieces: string[] = [];
  #tail = "";
  #length = 0;
  readonly #styles: { start: number; end: number; style: MarkdownStyle }[] = [];
  readonly #links: { start: number; end: number; href: string }[] = [];
  readonly #mentions: { start: number; end: number; target: string }[] = [];
  readonly #blocks: WritableBlock[] = [];
  readonly #open = new Map<MarkdownStyle, { depth: number; index: number }>();
  #separator = "";

  /** UTF-16 units written so far. */
  get length(): number {
    return this.#length;
  }

  /** White space owed before the next text: the larger of what was asked for wins, none before the first text. */
  separate(separator: string): void {
    if (separator.length > this.#separator.length) this.#separator = separator;
  }

  /** Writes the separator that is owed. To be called before anything that starts at the next text. */
  settle(): void {
    if (this.#separator === "") return;
    const separator = this.#separator;
    this.#separator = "";
    if (this.#length > 0 || this.#blocks.length > 0) this.#write(separator);
  }

  append(text: string): void {
    this.settle();
    this.#write(text);
  }

  #write(text: string): void {
    this.#tail += text;
    this.#length += text.length;
  }

  /** A style inside the same style is the same style. */
  openStyle(style: MarkdownStyle): void {
    const open = this.#open.get(style);
    if (open !== undefined && open.depth > 0) open.depth += 1;
    else
      this.#open.set(style, {
        depth: 1,
        index: this.#styles.push({ start: this.#length, end: -1, style }) - 1,
      });
  }

  closeStyle(style: MarkdownStyle): void {
    const open = this.#open.get(style);
    if (open === undefined || open.depth === 0) return;
    open.depth -= 1;
    const span = this.#styles[open.index];
    if (open.depth === 0 && span !== undefined) span.end = this.#length;
  }

  addStyle(start: number, style: MarkdownStyle): void {
    this.#styles.push({ start, end: this.#length, style });
  }

  /** Reserves the place of a link in the list; completed by `closeLink` or dropped. */
  openLink(): number {
    this.settle();
    this.#pieces.push(this.#tail);
    this.#tail = "";
    return this.#links.push({ start: this.#length, end: -1, href: "" }) - 1;
  }

  /** What was written since the last link opened. Links do not nest. */
  get label(): string {
    return this.#tail;
  }

  closeLink(link: number, href: string | undefined): void {
    const span = this.#links[link];
    if (span === undefined) return;
    span.end = href === undefined ? -1 : this.#length;
    span.href = href ?? "";
  }

  addMention(link: number, target: string): void {
    this.#mentions.push({ start: this.#links[link]?.start ?? 0, end: this.#length, target });
  }

  /** Opens a block at the next text, where it is set to begin; returns its handle. The builder owns the block from then on. */
  openBlock(block: WritableBlock): number {
    this.settle();
    block.start = this.#length;
    block.end = this.#length;
    return this.#blocks.push(block) - 1;
  }

  closeBlock(handle: number): void {
    const block = this.#blocks[handle];
    if (block !== undefined) block.end = this.#length;
  }

  /** Adds a finished IR (a table cell, say) at the end; returns where it stands. */
  appendIR(ir: MarkdownIR): { start: number; end: number } {
    this.settle();
    const offset = this.#length;
    this.#write(ir.text);
    const move = <Span extends { start: number; end: number }>(span: Span): Span => ({
      ...span,
      start: span.start + offset,
      end: span.end + offset,
    });
    for (const span of ir.styles) this.#styles.push(move(span));
    for (const span of ir.links) this.#links.push(move(span));
    for (const span of ir.mentions) this.#mentions.push(move(span));
    for (const block of ir.blocks) this.#blocks.push(move(block));
    return { start: offset, end: this.#length };
  }

  finish(): MarkdownIR {
    const kept = <Span extends { start: number; end: number }>(spans: Span[]): Span[] => spans.filter((span) => span.end > span.start);
    return {
      text: this.#pieces.join("") + this.#tail,
      styles: kept(this.#styles),
      links: kept(this.#links),
      mentions: kept(this.#mentions),
      blocks: this.#blocks as MarkdownBlock[],
    };
  }
}
