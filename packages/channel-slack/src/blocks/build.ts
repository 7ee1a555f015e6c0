import type { BuiltBlocks, MarkdownIR } from "@trunkline/plugin-sdk";
import { InlineReader } from "./inline.ts";
import { RichTextWriter } from "./rich-text.ts";
import { segmentsOf } from "./segments.ts";
import { BLOCK_LIMITS, type RichElement, type SlackBlock } from "./shapes.ts";
import { buildTable } from "./table.ts";

/**
 * An IR as Slack's blocks: rich text, a divider for a rule that stands alone, a table for a table. `fits` is the offset up to which one
 * message may hold them.
 */
export function buildBlocks(ir: MarkdownIR): BuiltBlocks {
  const message = new MessageBlocks(ir);
  for (const segment of segmentsOf(ir)) message.add(segment);
  return message.finish();
}

class MessageBlocks {
  readonly #ir: MarkdownIR;
  readonly #reader: InlineReader;
  readonly #writer: RichTextWriter;
  readonly #blocks: SlackBlock[] = [];
  #tables = 0;
  /** Where the text began that is not yet a block. */
  #textFrom: number | undefined;
  /** Characters of JSON, tables left out. */
  #json = 0;
  #fits: number;

  constructor(ir: MarkdownIR) {
    this.#ir = ir;
    this.#reader = new InlineReader(ir);
    this.#writer = new RichTextWriter(this.#reader);
    this.#fits = ir.text.length;
  }

  add(segment: ReturnType<typeof segmentsOf>[number]): void {
    const { chain, start } = segment;
    if (segment.kind !== "rule" || chain.length > 0) this.#textFrom ??= start;
    if (segment.kind === "code") this.#writer.code(segment, segment.language);
    else if (segment.kind === "table") {
      this.#writer.beginItems(chain, start);
      const { block, fits } = buildTable(this.#ir, segment.table, this.#reader);
      this.#tables += 1;
      if (this.#tables > BLOCK_LIMITS.tables) this.#limit(start);
      else if (fits < this.#ir.text.length) this.#limit(fits);
      this.#push(block, start);
    } else if (segment.kind === "rule" && chain.length === 0) this.#push({ type: "divider" }, start);
    else this.#writer.line(segment);
  }

  finish(): BuiltBlocks {
    this.#closeText();
    const { length } = this.#ir.text;
    // In proportion, for text is spread evenly enough; what is still over is cut once more.
    if (this.#json > BLOCK_LIMITS.json) this.#limit(Math.max(1, Math.floor((length * BLOCK_LIMITS.json * 0.95) / this.#json)));
    const fullness = Math.max(this.#json / BLOCK_LIMITS.json, this.#blocks.length / BLOCK_LIMITS.blocks);
    return { blocks: this.#blocks, fits: this.#fits, fullness };
  }

  #push(block: SlackBlock, at: number): void {
    this.#closeText();
    this.#append(block, at);
    if (block.type !== "table") this.#json += jsonLength(block);
  }

  #closeText(): void {
    const from = this.#textFrom ?? 0;
    this.#textFrom = undefined;
    this.#writer.flush();
    const elements: RichElement[] = this.#writer.elements.splice(0);
    if (elements.length === 0) return;
    const block: SlackBlock = { type: "rich_text", elements };
    this.#json += jsonLength(block);
    this.#append(block, from);
  }

  #append(block: SlackBlock, at: number): void {
    this.#blocks.push(block);
    if (this.#blocks.length > BLOCK_LIMITS.blocks) this.#limit(at);
  }

  /** What stands at `offset` and behind it is for the next message; a rule has no text, so the cut has to be before the line end there. */
  #limit(offset: number): void {
    this.#fits = Math.min(this.#fits, Math.max(1, offset - 1));
  }
}

/** Characters of a block's JSON, without writing it: how much a message may hold is counted for every try of a cut. */
function jsonLength(value: unknown): number {
  if (typeof value === "string") return ESCAPED.test(value) ? JSON.stringify(value).length : value.length + 2;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + jsonLength(item) + 1, 2);
  if (typeof value !== "object" || value === null) return String(value).length;
  let sum = 2;
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key];
    sum += key.length + 4 + (key === "type" ? (inner as string).length + 2 : jsonLength(inner));
  }
  return sum;
}

/** What JSON writes in more than one character. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
