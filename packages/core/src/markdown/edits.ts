import type { MarkdownBlock, MarkdownIR, MarkdownLinkSpan, MarkdownMentionSpan, MarkdownStyleSpan } from "@trunkline/plugin-sdk";

/** Replace `remove` units at `at` by `insert`. A list of edits is ordered by `at` and does not overlap. */
export interface TextEdit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** Old offsets to new ones. What begins at an insertion begins after it; what ends there ends before it. */
export interface OffsetMap {
  start(offset: number): number;
  end(offset: number): number;
  /** Like `start`, but before what is inserted at that very offset: for a container of the insertion. */
  before(offset: number): number;
}

/** Text after the edits, with the map of offsets. Linear in text and edits. */
export function editText(text: string, edits: readonly TextEdit[]): { readonly text: string; readonly map: OffsetMap } {
  if (edits.length === 0) return { text, map: IDENTITY };
  const pieces: string[] = [];
  const deltas = new Int32Array(edits.length + 1);
  let from = 0;
  for (let i = 0; i < edits.length; i += 1) {
    const edit = edits[i] as TextEdit;
    pieces.push(text.slice(from, edit.at), edit.insert);
    from = edit.at + edit.remove;
    deltas[i + 1] = (deltas[i] ?? 0) + edit.insert.length - edit.remove;
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(""), map: offsetMap(edits, deltas) };
}

const IDENTITY: OffsetMap = {
  start: (offset) => offset,
  end: (offset) => offset,
  before: (offset) => offset,
};

/** Edits that are walked over before they are searched: offsets mostly come in order. */
const NEAR = 4;

function offsetMap(edits: readonly TextEdit[], deltas: Int32Array): OffsetMap {
  /** What the last answer was: the next one is near it. */
  let passed = 0;
  /** Whether an edit has its removed range completely before, or (inclusive) an insertion exactly at, the offset. */
  const isPassed = (edit: TextEdit, offset: number, inclusive: boolean): boolean =>
    edit.at < offset || (inclusive && edit.at === offset && edit.remove === 0);
  /** How many edits the offset has passed. */
  const count = (offset: number, inclusive: boolean): number => {
    let low = 0;
    let high = edits.length;
    for (let steps = 0; steps < NEAR; steps += 1) {
      const isBehind = passed === 0 || isPassed(edits[passed - 1] as TextEdit, offset, inclusive);
      if (!isBehind) high = passed -= 1;
      else if (passed === edits.length || !isPassed(edits[passed] as TextEdit, offset, inclusive)) return passed;
      else low = passed += 1;
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isPassed(edits[middle] as TextEdit, offset, inclusive)) low = middle + 1;
      else high = middle;
    }
    passed = low;
    return low;
  };
  const map = (offset: number, inclusive: boolean): number => {
    const passed = count(offset, inclusive);
    const last = edits[passed - 1];
    // An offset inside a replaced range moves to the end of its replacement.
    const inside = last === undefined ? 0 : Math.max(0, last.at + last.remove - offset);
    return offset + inside + (deltas[passed] ?? 0);
  };
  return {
    start: (offset) => map(offset, true),
    end: (offset) => map(offset, false),
    before: (offset) => map(offset, false),
  };
}

/** The IR after the edits, every span moved along. */
export function editIR(ir: MarkdownIR, edits: readonly TextEdit[]): { readonly ir: MarkdownIR; readonly map: OffsetMap } {
  if (edits.length === 0) return { ir, map: IDENTITY };
  const { text, map } = editText(ir.text, edits);
  return {
    map,
    ir: {
      text,
      styles: moveSpans<MarkdownStyleSpan>(ir.styles, map),
      links: moveSpans<MarkdownLinkSpan>(ir.links, map),
      mentions: moveSpans<MarkdownMentionSpan>(ir.mentions, map),
      blocks: ir.blocks.map((block) => moveBlock(block, map)),
    },
  };
}

function moveSpans<Span extends { readonly start: number; readonly end: number }>(spans: readonly Span[], map: OffsetMap): Span[] {
  const moved: Span[] = [];
  for (const span of spans) {
    const start = map.start(span.start);
    const end = map.end(span.end);
    if (end <= start) continue;
    // Most spans stand before the first edit, and stay what they are.
    moved.push(start === span.start && end === span.end ? span : { ...span, start, end });
  }
  return moved;
}

function moveBlock(block: MarkdownBlock, map: OffsetMap): MarkdownBlock {
  const start = map.start(block.start);
  // What is inserted at the end of a list item, a quote or a cell is inside it.
  const container = block.kind === "list_item" || block.kind === "quote" || block.kind === "table";
  const end = Math.max(start, container ? map.start(block.end) : map.end(block.end));
  if (block.kind !== "table") return start === block.start && end === block.end ? block : { ...block, start, end };
  const rows = block.rows.map((row) => row.map((cell) => ({ start: map.start(cell.start), end: map.start(cell.end) })));
  return { ...block, start, end, rows };
}
