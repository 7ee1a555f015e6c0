import type { MarkdownIR, MarkdownLinkSpan, MarkdownStyle } from "@trunkline/plugin-sdk";
import { mentionKind } from "../mentions.ts";
import { BLOCK_LIMITS, type InlineElement, type TextStyle } from "./shapes.ts";

/** A stretch of text under one set of styles, or a mark that the text itself does not have. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly style: TextStyle | undefined;
  readonly link?: MarkdownLinkSpan | undefined;
  readonly mention?: string | undefined;
  /** Written at `start`, which is also the end. */
  readonly mark?: string;
  /** Whether a mark opens something, so that it belongs to what follows. */
  readonly opens?: boolean;
}

interface Edge {
  readonly at: number;
  readonly open: boolean;
  /** Outer spans first: they open before inner ones, and close behind them. */
  readonly order: number;
  readonly style?: MarkdownStyle;
  readonly link?: MarkdownLinkSpan;
  readonly mention?: string;
}

const SPOILER = { open: "[spoiler: ", close: "]" };

/**
 * Reads the text of an IR as Slack's inline elements, range by range from left to right. Styles and links are exact here: nothing has to
 * be escaped and nothing in the text can become markup.
 */
export class InlineReader {
  readonly #text: string;
  readonly #runs: readonly Run[];
  #next = 0;

  constructor(ir: MarkdownIR) {
    this.#text = ir.text;
    this.#runs = runsOf(ir);
  }

  /** The elements of a range. Ranges come in order and do not overlap. */
  take(start: number, end: number): InlineElement[] {
    const found = new ElementList();
    for (; this.#next < this.#runs.length; this.#next += 1) {
      const run = this.#runs[this.#next] as Run;
      if (run.mark !== undefined) {
        if (run.start > end || (run.start === end && run.opens === true)) break;
        found.text(run.mark, run.style);
        continue;
      }
      if (run.start >= end) break;
      this.#clip(run, start, end, found);
      if (run.end > end) break;
    }
    return found.elements;
  }

  #clip(run: Run, start: number, end: number, found: ElementList): void {
    const from = Math.max(run.start, start);
    const to = Math.min(run.end, end);
    if (to <= from) return;
    const text = this.#text.slice(from, to);
    const mention = run.mention === undefined ? undefined : mentionElement(run.mention);
    if (mention !== undefined) found.push(mention);
    else if (run.link !== undefined) found.link(run.link.href, text, run.style);
    else found.text(text, run.style);
  }
}

/** Collects elements: neighbours of one style are one run, runs that are too long are several. */
class ElementList {
  readonly elements: InlineElement[] = [];

  push(element: InlineElement): void {
    this.elements.push(element);
  }

  text(text: string, style: TextStyle | undefined): void {
    const last = this.elements.at(-1);
    const joined = last?.type === "text" && sameStyle(last.style, style) ? last.text + text : text;
    if (joined !== text) this.elements.pop();
    for (const piece of pieces(joined)) this.push({ type: "text", text: piece, ...(style === undefined ? {} : { style }) });
  }

  link(url: string, text: string, style: TextStyle | undefined): void {
    if (url.length > BLOCK_LIMITS.url) {
      this.text(text === url ? text : `${text} (${url})`, style);
      return;
    }
    const last = this.elements.at(-1);
    // A label with several styles is several runs of one link; the platform shows them as one.
    if (last?.type === "link" && last.url === url && sameStyle(last.style, style)) {
      this.elements.pop();
      this.link(url, (last.text ?? last.url) + text, style);
      return;
    }
    this.push({ type: "link", url, ...(text === url ? {} : { text }), ...(style === undefined ? {} : { style }) });
  }
}

/** Adds elements behind others; text of one style is one run. */
export function appendElements(target: InlineElement[], more: readonly InlineElement[]): void {
  for (const element of more) {
    const last = target.at(-1);
    const joins = last?.type === "text" && element.type === "text" && sameStyle(last.style, element.style);
    if (joins && last.text.length + element.text.length <= BLOCK_LIMITS.run) {
      target[target.length - 1] = { ...last, text: last.text + element.text };
    } else target.push(element);
  }
}

/** Cuts a long text into runs, never inside a surrogate pair. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + BLOCK_LIMITS.run);
    const low = text.charCodeAt(end);
    if (end < text.length && low >= 0xdc00 && low <= 0xdfff) end -= 1;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

function mentionElement(id: string): InlineElement | undefined {
  const kind = mentionKind(id);
  if (kind === "user") return { type: "user", user_id: id };
  if (kind === "usergroup") return { type: "usergroup", usergroup_id: id };
  return kind === "channel" ? { type: "channel", channel_id: id } : undefined;
}

/** One pass over the borders of all spans. */
function runsOf(ir: MarkdownIR): Run[] {
  const edges = edgesOf(ir);
  const open = new Map<MarkdownStyle, number>();
  const runs: Run[] = [];
  let link: MarkdownLinkSpan | undefined;
  let mention: string | undefined;
  let from = 0;
  for (const edge of edges) {
    if (edge.at > from) runs.push({ start: from, end: edge.at, style: styleOf(open), link, mention });
    from = edge.at;
    if (edge.style === "spoiler") {
      const mark = edge.open ? SPOILER.open : SPOILER.close;
      runs.push({ start: from, end: from, style: styleOf(open), mark, opens: edge.open });
    } else if (edge.style !== undefined) open.set(edge.style, (open.get(edge.style) ?? 0) + (edge.open ? 1 : -1));
    else if (edge.link !== undefined) link = edge.open ? edge.link : undefined;
    else mention = edge.open ? edge.mention : undefined;
  }
  if (from < ir.text.length) runs.push({ start: from, end: ir.text.length, style: styleOf(open), link, mention });
  return runs;
}

function edgesOf(ir: MarkdownIR): Edge[] {
  const edges: Edge[] = [];
  const add = (span: { readonly start: number; readonly end: number }, edge: Omit<Edge, "at" | "open" | "order">): void => {
    const order = edges.length;
    edges.push({ at: span.start, open: true, order, ...edge }, { at: span.end, open: false, order, ...edge });
  };
  // A heading is bold as a whole.
  for (const block of ir.blocks) if (block.kind === "heading" && block.end > block.start) add(block, { style: "bold" });
  for (const span of ir.styles) if (span.style !== "code_block") add(span, { style: span.style });
  for (const link of ir.links) add(link, { link });
  for (const span of ir.mentions) add(span, { mention: span.target });
  return edges.sort((a, b) => a.at - b.at || Number(a.open) - Number(b.open) || (a.open ? a.order - b.order : b.order - a.order));
}

/** One object for each set of styles: there are few, and many runs. */
const STYLE_SETS = new Map<number, TextStyle>();

function styleOf(open: ReadonlyMap<MarkdownStyle, number>): TextStyle | undefined {
  const bit = (style: MarkdownStyle, place: number): number => ((open.get(style) ?? 0) > 0 ? 1 << place : 0);
  const set = bit("bold", 0) | bit("italic", 1) | bit("strikethrough", 2) | bit("code", 3);
  if (set === 0) return undefined;
  const known = STYLE_SETS.get(set);
  if (known !== undefined) return known;
  const style: TextStyle = {
    ...((set & 1) > 0 ? { bold: true } : {}),
    ...((set & 2) > 0 ? { italic: true } : {}),
    ...((set & 4) > 0 ? { strike: true } : {}),
    ...((set & 8) > 0 ? { code: true } : {}),
  };
  STYLE_SETS.set(set, style);
  return style;
}

function sameStyle(a: TextStyle | undefined, b: TextStyle | undefined): boolean {
  return a === b || (a?.bold === b?.bold && a?.italic === b?.italic && a?.strike === b?.strike && a?.code === b?.code);
}
