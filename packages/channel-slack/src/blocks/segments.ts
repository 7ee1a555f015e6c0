import type { MarkdownBlock, MarkdownIR } from "@trunkline/plugin-sdk";

export type ListItem = Extract<MarkdownBlock, { kind: "list_item" }>;
export type Quote = Extract<MarkdownBlock, { kind: "quote" }>;
export type Table = Extract<MarkdownBlock, { kind: "table" }>;
export type Container = ListItem | Quote;

/** One line of text, or a block that is drawn as a whole, with the lists and quotes around it from the outside in. */
export type Segment = {
  readonly start: number;
  readonly end: number;
  readonly chain: readonly Container[];
} & (
  | { readonly kind: "line" }
  | { readonly kind: "rule" }
  | { readonly kind: "code"; readonly language: string | undefined }
  | { readonly kind: "table"; readonly table: Table }
);

/** Splits an IR into segments, in order. Blank lines are left out, but for those of an item or quote that has nothing else. */
export function segmentsOf(ir: MarkdownIR): Segment[] {
  const containers = new ContainerStack(ir.blocks);
  const solid = solidBlocks(ir);
  const segments: Segment[] = [];
  let next = 0;
  for (let start = 0; start <= ir.text.length;) {
    while (next < solid.length && (solid[next] as Solid).start < start) next += 1;
    const block = solid[next];
    const newline = ir.text.indexOf("\n", start);
    const lineEnd = newline < 0 ? ir.text.length : newline;
    if (block !== undefined && block.start === start && (block.end > start || lineEnd === start)) {
      segments.push({ ...block, chain: containers.around(start, Math.max(block.end, start)) } as Segment);
      start = block.end + 1;
      continue;
    }
    const chain = containers.around(start, lineEnd);
    if (lineEnd > start || containers.opened) segments.push({ kind: "line", start, end: lineEnd, chain });
    start = lineEnd + 1;
  }
  return segments;
}

type Solid = { readonly start: number; readonly end: number } & (
  | { readonly kind: "rule" }
  | { readonly kind: "code"; readonly language: string | undefined }
  | { readonly kind: "table"; readonly table: Table }
);

/** What is drawn as a whole: rules, code, and tables as far as their rows are whole. */
function solidBlocks(ir: MarkdownIR): Solid[] {
  const found: Solid[] = [];
  for (const block of ir.blocks) {
    if (block.kind === "hr") found.push({ kind: "rule", start: block.start, end: block.end });
    else if (block.kind === "code_block" && block.end > block.start) {
      found.push({ kind: "code", start: block.start, end: block.end, language: block.language });
    } else if (block.kind === "table") {
      const start = block.rows[0]?.[0]?.start;
      const end = block.rows.at(-1)?.at(-1)?.end;
      if (start !== undefined && end !== undefined) found.push({ kind: "table", start, end, table: block });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Follows which lists and quotes are open. Asked with growing ranges. */
class ContainerStack {
  readonly #containers: readonly Container[];
  #chain: readonly Container[] = [];
  #next = 0;
  /** Whether a container opened at the last range asked for. */
  opened = false;

  constructor(blocks: readonly MarkdownBlock[]) {
    this.#containers = blocks.filter((block) => block.kind === "list_item" || block.kind === "quote");
  }

  around(start: number, end: number): readonly Container[] {
    let chain = this.#chain;
    while (chain.length > 0 && (chain.at(-1) as Container).end < end) chain = chain.slice(0, -1);
    this.opened = false;
    for (; this.#next < this.#containers.length; this.#next += 1) {
      const container = this.#containers[this.#next] as Container;
      if (container.start > start) break;
      if (container.end < end) continue;
      chain = [...chain, container];
      this.opened = true;
    }
    this.#chain = chain;
    return chain;
  }
}
