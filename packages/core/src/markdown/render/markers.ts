import type {
  CodeMarks,
  MarkdownIR,
  MarkdownLinkSpan,
  MarkingRules,
  RenderProfile,
  RenderStyleMap,
  RenderStyleMarker,
  TextPlace,
} from "@trunkline/plugin-sdk";
import { type Marked, settleBorders } from "./borders.ts";

/** How marker text is made of an IR. */
export interface MarkerOptions {
  readonly styleMarkers: RenderStyleMap;
  /** Applied once to every piece of text outside code; the identity when absent. */
  readonly escapeText?: RenderProfile["escape"]["text"];
  /** Applied once to every piece of text inside code. */
  readonly escapeCode?: RenderProfile["escape"]["code"];
  /** Markers around a link; null prints the label alone. */
  readonly markLink?: (link: MarkdownLinkSpan, label: string, ahead: string) => RenderStyleMarker | null;
  /** Markers of code, when they depend on it. */
  readonly code?: CodeMarks;
  /** What markers need around them, and what they cannot have inside. */
  readonly border?: MarkingRules["border"];
  readonly clashes?: MarkingRules["clashes"];
  /** Ranges that are written as they are: the prefixes of blocks. */
  readonly glyphs?: readonly { readonly start: number; readonly end: number }[];
  /** What new lines in the markers of a block of code begin with, by where the code starts. */
  readonly codePrefixes?: ReadonlyMap<number, string>;
}

/**
 * Text with markup: walks the borders of spans with one stack. At each border it closes what ends, the last opened first, and opens what
 * begins, the longest first; a span that would cross another is closed and opened again around it. Prefixes of blocks are not its
 * business: see layout.ts.
 */
export function renderMarkdownWithMarkers(ir: MarkdownIR, options: MarkerOptions): string {
  const marked = markedSpans(ir, options);
  const { spans, glue } = options.border === undefined ? { spans: marked, glue: NO_GLUE } : settleBorders(ir.text, marked, options);
  const out = new PieceWriter(options);
  const stack: Marked[] = [];
  let from = 0;
  let next = 0;
  let nextGlyph = 0;
  const glyphs = options.glyphs ?? [];
  /** Writes the text up to `to`, prefixes as they are. */
  const copy = (to: number): void => {
    for (; nextGlyph < glyphs.length && (glyphs[nextGlyph]?.start ?? 0) < to; nextGlyph += 1) {
      const { start, end } = glyphs[nextGlyph] as { start: number; end: number };
      out.text(ir.text.slice(from, start), stack, aheadOf(ir.text, end));
      out.glyph(ir.text.slice(start, end));
      from = end;
    }
    if (to > from) out.text(ir.text.slice(from, to), stack, aheadOf(ir.text, to));
    from = Math.max(from, to);
  };
  const open = (span: Marked): void => {
    out.verbatim(span.open);
    stack.push(span);
  };
  for (const border of bordersOf(spans)) {
    copy(border);
    const reopened: Marked[] = [];
    let ending = 0;
    for (const span of stack) if (span.end <= border) ending += 1;
    while (ending > 0) {
      const span = stack.pop() as Marked;
      out.verbatim(span.close);
      if (span.end <= border) ending -= 1;
      else reopened.unshift(span);
    }
    out.verbatim(glue.get(border) ?? "");
    for (const span of reopened) open(span);
    for (; next < spans.length && (spans[next] as Marked).start === border; next += 1) open(spans[next] as Marked);
  }
  copy(ir.text.length);
  return out.finish();
}

/** How much of the text behind a place is looked at. */
const AHEAD = 1000;

function aheadOf(text: string, at: number): string {
  return text.slice(at, at + AHEAD);
}

const NO_GLUE: ReadonlyMap<number, string> = new Map();

/** Puts pieces together. A piece of text waits until it is known what follows it, for its escaping may depend on that. */
class PieceWriter {
  readonly #options: MarkerOptions;
  #out = "";
  /** Character written last: reading it off a growing string would copy that each time. */
  #last = "";
  #waiting: string | undefined;
  #place: { -readonly [Key in keyof TextPlace]: TextPlace[Key] } = { within: "text", lineStart: true, before: "", after: "", ahead: "" };
  #lineStart = true;

  constructor(options: MarkerOptions) {
    this.#options = options;
  }

  /** A piece of the visible text inside these spans. */
  text(text: string, stack: readonly Marked[], ahead: string): void {
    if (text === "") return;
    this.#settle(text);
    let within: TextPlace["within"] = "text";
    let code: "code" | "code_block" | undefined;
    for (const { style, link } of stack) {
      if (style === "code" || style === "code_block") code = style;
      if (link !== undefined) within = link;
    }
    if (code !== undefined) this.#write(this.#options.escapeCode?.(text, code) ?? text);
    else if (this.#options.escapeText === undefined) this.#write(text);
    else {
      this.#waiting = text;
      this.#place = { within, lineStart: this.#lineStart, before: this.#last, after: "", ahead };
      this.#lineStart = text.endsWith("\n");
    }
  }

  /** A prefix of a block. What stands behind it is still at the start of the line. */
  glyph(text: string): void {
    this.#settle(text);
    const lineStart = this.#lineStart;
    this.#write(text);
    this.#lineStart ||= lineStart;
  }

  verbatim(text: string): void {
    if (text === "") return;
    this.#settle(text);
    this.#write(text);
  }

  finish(): string {
    this.#settle("");
    return this.#out;
  }

  #write(text: string): void {
    this.#push(text);
    this.#lineStart = text.endsWith("\n");
  }

  #push(text: string): void {
    this.#out += text;
    this.#last = text.at(-1) ?? this.#last;
  }

  #settle(following: string): void {
    const text = this.#waiting;
    if (text === undefined) return;
    this.#waiting = undefined;
    this.#place.after = following.at(0) ?? "";
    this.#push(this.#options.escapeText?.(text, this.#place) ?? text);
  }
}

/** Every span that has markers, in the order of opening. */
function markedSpans(ir: MarkdownIR, options: MarkerOptions): Marked[] {
  const spans: Marked[] = [];
  const languages = new Map<number, string | undefined>();
  for (const block of ir.blocks) if (block.kind === "code_block") languages.set(block.start, block.language);
  for (const { start, end, style } of ir.styles) {
    const code = options.code;
    const byCode =
      code === undefined || (style !== "code" && style !== "code_block")
        ? undefined
        : style === "code"
          ? code.inline(ir.text.slice(start, end), false)
          : behindPrefix(code.block(ir.text.slice(start, end), languages.get(start)), options.codePrefixes?.get(start) ?? "");
    const marker = byCode ?? options.styleMarkers[style];
    if (marker !== undefined) spans.push({ start, end, open: marker.open, close: marker.close, style });
  }
  for (const link of ir.links) {
    const label = ir.text.slice(link.start, link.end);
    const marker = link.cut === true ? null : options.markLink?.(link, label, aheadOf(ir.text, link.end));
    const kind = link.cut === true || label === link.href ? "url" : "label";
    spans.push({ start: link.start, end: link.end, open: marker?.open ?? "", close: marker?.close ?? "", link: kind });
  }
  // The sort is stable, so spans of one range keep their order in the document; only code goes inside of a link, never around it.
  const inner = ({ style }: Marked): number => (style === "code" || style === "code_block" ? 1 : 0);
  spans.sort((a, b) => a.start - b.start || b.end - a.end || inner(a) - inner(b));
  return options.clashes === undefined ? spans : withoutClashes(ir.text, spans, options.clashes);
}

/** Leaves out the styles that could not be read around the code or URL in them. */
function withoutClashes(text: string, spans: readonly Marked[], clashes: NonNullable<MarkingRules["clashes"]>): Marked[] {
  const dropped = new Set<Marked>();
  let around: Marked[] = [];
  for (const span of spans) {
    around = around.filter((outer) => outer.end > span.start);
    const raw = span.style === "code" || span.link === "url";
    const content = raw ? text.slice(span.start, span.end) : "";
    for (const outer of raw ? around : []) if (outer.style !== undefined && clashes(outer.style, content)) dropped.add(outer);
    if (span.style !== undefined) around.push(span);
  }
  return dropped.size === 0 ? [...spans] : spans.filter((span) => !dropped.has(span));
}

function behindPrefix({ open, close }: RenderStyleMarker, prefix: string): RenderStyleMarker {
  return prefix === "" ? { open, close } : { open: open.replaceAll("\n", `\n${prefix}`), close: close.replaceAll("\n", `\n${prefix}`) };
}

function bordersOf(spans: readonly Marked[]): number[] {
  const borders = new Set<number>();
  for (const span of spans) borders.add(span.start).add(span.end);
  return [...borders].sort((a, b) => a - b);
}
