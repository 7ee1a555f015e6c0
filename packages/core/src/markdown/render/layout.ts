import type { BlockRules, LinkRules, MarkdownBlock, MarkdownIR, MarkdownStyle, MarkdownStyleSpan } from "@trunkline/plugin-sdk";
import { editIR, type TextEdit } from "../edits.ts";

type ListItem = Extract<MarkdownBlock, { kind: "list_item" }>;
type Quote = Extract<MarkdownBlock, { kind: "quote" }>;

/** An IR whose text has the channel's glyphs and prefixes in it, so that only spans are left to render. */
export interface Layout {
  readonly ir: MarkdownIR;
  /** Ranges of quotes that the platform draws itself. */
  readonly quotes: readonly Range[];
  /** Ranges of the glyphs and prefixes, in order: they are written as they are. */
  readonly glyphs: readonly Glyph[];
  /** What the lines of a block of code begin with, by where the code starts. */
  readonly codePrefixes: ReadonlyMap<number, string>;
}

/** A prefix. `markup`: it is no text but a mark of the platform, which shows something else for it. */
interface Glyph extends Range {
  readonly markup: boolean;
}

interface Insertion extends TextEdit {
  readonly markup?: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Writes list markers, indentation, quote prefixes, rules and math marks into the text. Styles are as `headingStyles` gives them. */
export function layoutIR(ir: MarkdownIR, rules: BlockRules, mention?: LinkRules["mention"]): Layout {
  const mentions = mentionEdits(ir, mention);
  if (ir.blocks.length === 0 && mentions.length === 0) return { ir, quotes: [], glyphs: [], codePrefixes: new Map() };
  const native = rules.quotes === "native" ? outermostQuotes(ir.blocks) : [];
  const nativeSet = new Set<MarkdownBlock>(native);
  const codePrefixes = new Map<number, string>();
  const edits = [...prefixEdits(ir, rules, nativeSet, codePrefixes), ...markEdits(ir, rules), ...mentions].sort((a, b) => a.at - b.at);
  // From here on only code blocks matter, for their language.
  const blocks = ir.blocks.filter((block) => block.kind === "code_block");
  const { ir: edited, map } = editIR({ ...ir, blocks }, edits);
  return {
    ir: edited,
    quotes: native.map(({ start, end }) => ({ start: map.before(start), end: map.start(end) })),
    glyphs: insertedRanges(edits),
    codePrefixes: new Map([...codePrefixes].map(([start, prefix]) => [map.start(start), prefix])),
  };
}

/** What is written for the mentions that the channel has. */
function mentionEdits(ir: MarkdownIR, mention: LinkRules["mention"]): TextEdit[] {
  if (mention === undefined) return [];
  return ir.mentions.flatMap(({ start, end, target }) => {
    const insert = mention(target);
    return insert === undefined ? [] : [{ at: start, remove: end - start, insert }];
  });
}

/** Where the insertions stand in the text that has them all. */
function insertedRanges(edits: readonly Insertion[]): Glyph[] {
  let shift = 0;
  return edits.map(({ at, remove, insert, markup = false }) => {
    const start = at + shift;
    shift += insert.length - remove;
    return { start, end: start + insert.length, markup };
  });
}

/** The text of a layout without what is markup. */
export function plainOf({ ir, glyphs }: Layout): string {
  let plain = "";
  let from = 0;
  for (const { start, end, markup } of glyphs) {
    if (!markup) continue;
    plain += ir.text.slice(from, start);
    from = end;
  }
  return from === 0 ? ir.text : plain + ir.text.slice(from);
}

/** Quotes that are in no list and no other quote. */
function outermostQuotes(blocks: readonly MarkdownBlock[]): Quote[] {
  const quotes: Quote[] = [];
  let containerEnd = -1;
  for (const block of blocks) {
    if (block.kind !== "quote" && block.kind !== "list_item") continue;
    const inside = block.end <= containerEnd && block.start < containerEnd;
    if (inside || block.end === block.start) continue;
    if (block.kind === "quote") quotes.push(block);
    containerEnd = block.end;
  }
  return quotes;
}

/** Prefixes per line. A line carries those of every container around it, from the outside in. */
function prefixEdits(ir: MarkdownIR, rules: BlockRules, native: ReadonlySet<MarkdownBlock>, codePrefixes: Map<number, string>): TextEdit[] {
  const containers = ir.blocks.filter((block) => block.kind === "list_item" || block.kind === "quote") as (ListItem | Quote)[];
  if (containers.length === 0) return [];
  const code = ir.styles.filter((span) => span.style === "code_block");
  const edits: TextEdit[] = [];
  const stack: (ListItem | Quote)[] = [];
  const marked = new Set<ListItem | Quote>();
  let next = 0;
  let nextCode = 0;
  for (let start = 0; start <= ir.text.length;) {
    const newline = ir.text.indexOf("\n", start);
    const end = newline < 0 ? ir.text.length : newline;
    while (stack.length > 0 && (stack[stack.length - 1] as MarkdownBlock).end < end) stack.pop();
    for (; next < containers.length && (containers[next] as MarkdownBlock).start <= start; next += 1) {
      const container = containers[next] as ListItem | Quote;
      if (container.end >= end) stack.push(container);
    }
    if (stack.length === 0) {
      const upcoming = containers[next];
      if (upcoming === undefined) break;
      start = ir.text.lastIndexOf("\n", upcoming.start - 1) + 1 > start ? ir.text.lastIndexOf("\n", upcoming.start - 1) + 1 : end + 1;
      continue;
    }
    while (nextCode < code.length && (code[nextCode]?.end ?? 0) < end) nextCode += 1;
    const inCode = (code[nextCode]?.start ?? Infinity) <= start && (code[nextCode]?.end ?? -1) >= end;
    if (inCode && code[nextCode]?.start === start && rules.prefixCode) codePrefixes.set(start, quotePrefix(stack, rules, native));
    const insert = linePrefix(stack, { rules, native, marked, inCode, blank: start === end });
    if (insert !== "") edits.push({ at: start, remove: 0, insert });
    start = end + 1;
  }
  return edits;
}

interface Line {
  readonly rules: BlockRules;
  readonly native: ReadonlySet<MarkdownBlock>;
  /** Items whose marker is already written. */
  readonly marked: Set<ListItem | Quote>;
  readonly inCode: boolean;
  readonly blank: boolean;
}

function quotePrefix(stack: readonly (ListItem | Quote)[], rules: BlockRules, native: ReadonlySet<MarkdownBlock>): string {
  return rules.quotePrefix.repeat(stack.filter((container) => container.kind === "quote" && !native.has(container)).length);
}

function linePrefix(stack: readonly (ListItem | Quote)[], line: Line): string {
  const { rules, native, marked, inCode, blank } = line;
  let prefix = "";
  let visible = false;
  let newMarker = false;
  for (const container of stack) {
    if (container.kind === "quote") {
      if (native.has(container)) continue;
      prefix += rules.quotePrefix;
      visible = true;
    } else if (!marked.has(container) && container.continued !== true) {
      marked.add(container);
      prefix += itemMarker(container, rules);
      visible = true;
      newMarker = true;
    } else prefix += " ".repeat(itemIndent(container, rules));
  }
  // Code stands at the left edge; a marker that belongs in front of it gets a line of its own.
  if (inCode) return `${newMarker ? `${prefix.trimEnd()}\n` : ""}${rules.prefixCode ? quotePrefix(stack, rules, native) : ""}`;
  if (blank && newMarker && rules.trimEmptyItem) return prefix.trimEnd();
  return blank && !visible ? "" : prefix;
}

function itemMarker(item: ListItem, rules: BlockRules): string {
  const task = item.task === undefined ? "" : item.task === "open" ? rules.tasks.open : rules.tasks.done;
  if (item.ordered) return `${item.number}. ${task}`;
  if (task !== "" && !rules.tasks.keepBullet) return task;
  return `${rules.bullets[Math.min(item.depth, rules.bullets.length) - 1] ?? ""}${task}`;
}

function itemIndent(item: ListItem, rules: BlockRules): number {
  if (rules.indent !== "marker") return rules.indent;
  return item.ordered ? String(item.number).length + 2 : 2;
}

/** What stands inside a line: rules, heading prefixes, math marks. */
function markEdits(ir: MarkdownIR, rules: BlockRules): Insertion[] {
  const edits: Insertion[] = [];
  for (const block of ir.blocks) {
    if (block.kind === "hr") edits.push({ at: block.start, remove: 0, insert: rules.hr });
    else if (block.kind === "heading") {
      const insert = rules.headings[block.level - 1]?.prefix ?? "";
      // A heading of several lines is several headings: the platform's end with the line.
      for (let at = block.start; insert !== "" && at < block.end; at = lineAfter(ir.text, at, block.end))
        edits.push({ at, remove: 0, insert, markup: true });
    } else if (block.kind === "math" && !block.display && rules.inlineMath !== undefined) {
      edits.push({ at: block.start, remove: 0, insert: rules.inlineMath.open });
      edits.push({ at: block.end, remove: 0, insert: rules.inlineMath.close });
    }
  }
  return edits;
}

function lineAfter(text: string, at: number, end: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? end : newline + 1;
}

/** Styles with those of headings over their whole text; the style that a heading has anyway is dropped inside. */
export function headingStyles(ir: MarkdownIR, rules: BlockRules): readonly MarkdownStyleSpan[] {
  const headings: { readonly start: number; readonly end: number; readonly style: MarkdownStyle; readonly shown: boolean }[] = [];
  for (const block of ir.blocks) {
    const rule = block.kind === "heading" ? rules.headings[block.level - 1] : undefined;
    const style = rule?.style ?? (rule?.bold === true ? "bold" : undefined);
    if (style !== undefined) headings.push({ start: block.start, end: block.end, style, shown: rule?.style !== undefined });
  }
  if (headings.length === 0) return ir.styles;
  let at = 0;
  const others = ir.styles.filter((span) => {
    while (at < headings.length && (headings[at]?.end ?? 0) <= span.start) at += 1;
    const heading = headings[at];
    return heading === undefined || span.style !== heading.style || span.start < heading.start;
  });
  const shown = headings.filter((heading) => heading.shown).map(({ start, end, style }) => ({ start, end, style }));
  return [...shown, ...others].sort((a, b) => a.start - b.start || b.end - a.end);
}
