import type { MarkdownIR, MarkdownLinkSpan, MarkdownStyle, RenderStyleMap, RenderStyleMarker } from "@trunkline/plugin-sdk";

/** How marker text is made of an IR. */
export interface MarkerOptions {
  readonly styleMarkers: RenderStyleMap;
  /** Applied once to every piece of text outside code; the identity when absent. */
  readonly escapeText?: (text: string) => string;
  /** Applied once to every piece of text inside code. */
  readonly escapeCode?: (text: string) => string;
  /** Markers around a link; null prints the label alone. */
  readonly markLink?: (link: MarkdownLinkSpan, label: string) => RenderStyleMarker | null;
  /** Markers of one code block, when they depend on it (a language, a longer fence). */
  readonly markCode?: (language: string | undefined, code: string) => RenderStyleMarker;
}

interface Marked {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
  readonly style?: MarkdownStyle;
}

/**
 * Text with markup: walks the borders of spans with one stack. At each border it closes what ends, the last opened first, and opens what
 * begins, the longest first; a span that would cross another is closed and opened again around it. Prefixes of blocks are not its
 * business: see layout.ts.
 */
export function renderMarkdownWithMarkers(ir: MarkdownIR, options: MarkerOptions): string {
  const { text } = ir;
  const escapeText = options.escapeText ?? same;
  const escapeCode = options.escapeCode ?? same;
  const spans = markedSpans(ir, options);
  if (spans.length === 0) return escapeText(text);
  const borders = bordersOf(spans);
  const stack: Marked[] = [];
  let out = "";
  let from = 0;
  let next = 0;
  let code = 0;
  const open = (span: Marked): void => {
    out += span.open;
    stack.push(span);
    if (isCode(span)) code += 1;
  };
  for (const border of borders) {
    if (border > from) out += (code > 0 ? escapeCode : escapeText)(text.slice(from, border));
    from = border;
    const reopened: Marked[] = [];
    let ending = stack.filter((span) => span.end <= border).length;
    while (ending > 0) {
      const span = stack.pop() as Marked;
      out += span.close;
      if (isCode(span)) code -= 1;
      if (span.end <= border) ending -= 1;
      else reopened.unshift(span);
    }
    for (const span of reopened) open(span);
    for (; next < spans.length && (spans[next] as Marked).start === border; next += 1) open(spans[next] as Marked);
  }
  return out + escapeText(text.slice(from));
}

function same(text: string): string {
  return text;
}

function isCode(span: Marked): boolean {
  return span.style === "code" || span.style === "code_block";
}

/** Every span that has markers, in the order of opening. */
function markedSpans(ir: MarkdownIR, options: MarkerOptions): Marked[] {
  const spans: Marked[] = [];
  const languages = new Map<number, string | undefined>();
  for (const block of ir.blocks) if (block.kind === "code_block") languages.set(block.start, block.language);
  for (const { start, end, style } of ir.styles) {
    const byCode = style === "code_block" ? options.markCode?.(languages.get(start), ir.text.slice(start, end)) : undefined;
    const marker = byCode ?? options.styleMarkers[style];
    if (marker !== undefined) spans.push({ start, end, open: marker.open, close: marker.close, style });
  }
  for (const link of ir.links) {
    const marker = options.markLink?.(link, ir.text.slice(link.start, link.end));
    if (marker) spans.push({ start: link.start, end: link.end, open: marker.open, close: marker.close });
  }
  // The sort is stable, so spans of one range keep their order in the document.
  return spans.sort((a, b) => a.start - b.start || b.end - a.end);
}

function bordersOf(spans: readonly Marked[]): number[] {
  const borders = new Set<number>();
  for (const span of spans) borders.add(span.start).add(span.end);
  return [...borders].sort((a, b) => a - b);
}
