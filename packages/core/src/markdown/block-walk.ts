import type { MarkdownIR } from "@trunkline/plugin-sdk";
import { IRBuilder } from "./builder.ts";
import { appendInline, type AllowedMentions } from "./inline.ts";
import { TABLE_WIDTH, type MarkdownOptions } from "./options.ts";
import { stripBidi } from "./parse/parser.ts";
import type { Token } from "./parse/tokens.ts";
import { appendBullets, appendGrid, appendNative, contentOf, readTable } from "./table/table.ts";

const NOBODY: AllowedMentions = new Set();

/** One open container: its block, and what came last in it, which decides the space before what comes next. */
interface Container {
  readonly kind: "document" | "quote" | "list" | "item";
  readonly block: number;
  readonly ordered: boolean;
  number: number;
  last: "nothing" | "item" | "code" | "list" | "note" | "other";
}

/** Walks the block tokens once and fills the builder. */
export class BlockWalk {
  hasTables = false;
  readonly #builder = new IRBuilder();
  readonly #stack: Container[] = [{ kind: "document", block: -1, ordered: false, number: 0, last: "nothing" }];
  readonly #tokens: readonly Token[];
  readonly #options: MarkdownOptions;
  readonly #mentions: AllowedMentions;

  constructor(tokens: readonly Token[], options: MarkdownOptions) {
    this.#tokens = tokens;
    this.#options = options;
    this.#mentions = options.mentions ?? NOBODY;
  }

  run(): MarkdownIR {
    for (let at = 0; at < this.#tokens.length;) at = this.#step(this.#tokens[at] as Token, at);
    return this.#builder.finish();
  }

  /** Consumes the token at `at` and returns the index of the next one. */
  #step(token: Token, at: number): number {
    switch (token.type) {
      case "inline":
        this.#begin("other");
        this.#inline(token, at);
        break;
      case "heading_open":
        return this.#heading(token, at);
      case "fence":
      case "code_block":
        this.#code(token.content, token.type === "fence" ? languageOf(token.info) : undefined);
        break;
      case "math_block":
        this.#math(token.content);
        break;
      case "hr":
        this.#begin("other");
        this.#builder.openBlock({ kind: "hr", start: 0, end: 0 });
        break;
      case "blockquote_open":
        if (this.#tokens[at + 1]?.type === "blockquote_close") return at + 2;
        this.#openQuote();
        break;
      case "bullet_list_open":
      case "ordered_list_open":
        this.#openList(token);
        break;
      case "list_item_open":
        this.#openItem(at);
        break;
      case "blockquote_close":
      case "bullet_list_close":
      case "ordered_list_close":
      case "list_item_close":
        this.#close();
        break;
      case "table_open":
        return this.#table(at);
      case "footnote_open":
        return this.#footnote(token, at);
    }
    return at + 1;
  }

  get #top(): Container {
    return this.#stack[this.#stack.length - 1] as Container;
  }

  /** Asks for the space that belongs between what came last in this container and what comes now. */
  #begin(next: Container["last"]): void {
    const { kind, last } = this.#top;
    if (last !== "nothing") {
      const packed = kind === "list" || (kind === "item" && (next === "code" || next === "list" || last === "code"));
      this.#builder.separate(packed || (next === "note" && last === "note") ? "\n" : "\n\n");
    }
    this.#top.last = next;
  }

  #open(kind: Container["kind"], block: number, ordered = false, number = 0): void {
    this.#stack.push({ kind, block, ordered, number, last: "nothing" });
  }

  #depth(kind: Container["kind"]): number {
    let depth = 0;
    for (const container of this.#stack) if (container.kind === kind) depth += 1;
    return depth;
  }

  #close(): void {
    if (this.#stack.length < 2) return;
    const closed = this.#stack.pop() as Container;
    if (closed.block >= 0) this.#builder.closeBlock(closed.block);
  }

  #inline(token: Token, at: number): void {
    const children = token.children ?? [];
    const first = children[0];
    const task = this.#tokens[at - 2]?.type === "list_item_open" && first?.type === "text" && isTask(first.content);
    if (!task) return appendInline(this.#builder, children, this.#mentions);
    const rest = { ...first, content: first.content.slice(4) };
    appendInline(this.#builder, [rest as Token, ...children.slice(1)], this.#mentions);
  }

  #heading(token: Token, at: number): number {
    this.#begin("other");
    const block = this.#builder.openBlock({
      kind: "heading",
      start: 0,
      end: 0,
      level: Number(token.tag.slice(1)),
    });
    const inline = this.#tokens[at + 1];
    if (inline !== undefined) appendInline(this.#builder, inline.children ?? [], this.#mentions);
    this.#builder.closeBlock(block);
    return at + 3;
  }

  /** Code without the line end that closes it. Code with nothing in it is not shown. */
  #code(source: string, language: string | undefined): void {
    const code = stripBidi(source.endsWith("\n") ? source.slice(0, -1) : source);
    if (code.trim() === "") return;
    this.#begin("code");
    const block = this.#builder.openBlock({
      kind: "code_block",
      start: 0,
      end: 0,
      ...(language === undefined ? {} : { language }),
    });
    const start = this.#builder.length;
    this.#builder.append(code);
    this.#builder.addStyle(start, "code_block");
    this.#builder.closeBlock(block);
  }

  #math(source: string): void {
    this.#begin("code");
    const math = this.#builder.openBlock({ kind: "math", start: 0, end: 0, display: true });
    const block = this.#builder.openBlock({
      kind: "code_block",
      start: 0,
      end: 0,
      language: "latex",
    });
    const start = this.#builder.length;
    this.#builder.append(stripBidi(source));
    this.#builder.addStyle(start, "code_block");
    this.#builder.closeBlock(block);
    this.#builder.closeBlock(math);
  }

  #openQuote(): void {
    this.#begin("other");
    this.#open("quote", this.#builder.openBlock({ kind: "quote", start: 0, end: 0, depth: this.#depth("quote") + 1 }));
  }

  #openList(token: Token): void {
    this.#begin("list");
    const ordered = token.type === "ordered_list_open";
    this.#open("list", -1, ordered, ordered ? Number(token.attrGet("start") ?? 1) : 0);
  }

  #openItem(at: number): void {
    const list = this.#top;
    this.#begin("item");
    const first = this.#tokens[at + 1]?.type === "paragraph_open" ? this.#tokens[at + 2]?.children?.[0] : undefined;
    const task = first?.type === "text" && isTask(first.content) ? (first.content[1] === " " ? "open" : "done") : undefined;
    const block = this.#builder.openBlock({
      kind: "list_item",
      start: 0,
      end: 0,
      depth: this.#depth("list"),
      ordered: list.ordered,
      number: list.number,
      ...(task === undefined ? {} : { task }),
    });
    if (list.ordered) list.number += 1;
    this.#open("item", block);
  }

  #table(at: number): number {
    this.hasTables = true;
    const table = readTable(this.#tokens, at);
    const { tableMode = "off", tableWidth = TABLE_WIDTH, tableColumns = Infinity } = this.#options;
    const mode = tableMode === "native" && table.align.length > tableColumns ? "code" : tableMode;
    this.#begin(mode === "code" ? "code" : "other");
    if (mode === "native") appendNative(this.#builder, table, this.#mentions);
    else if (mode === "bullets") appendBullets(this.#builder, contentOf(table, this.#mentions));
    else appendGrid(this.#builder, contentOf(table, this.#mentions), tableWidth);
    return table.next;
  }

  #footnote(token: Token, at: number): number {
    this.#begin("note");
    const number = Number(token.meta?.["number"] ?? 0);
    const block = this.#builder.openBlock({
      kind: "footnote",
      start: 0,
      end: 0,
      number,
      reference: false,
    });
    this.#builder.append(`[${number}] `);
    appendInline(this.#builder, this.#tokens[at + 1]?.children ?? [], this.#mentions);
    this.#builder.closeBlock(block);
    return at + 3;
  }
}

function isTask(content: string): boolean {
  return /^\[[ xX]\](?: |$)/.test(content);
}

/** The first word of a fence's info string, without the attributes that some write right behind it. */
function languageOf(info: string): string | undefined {
  const word = /^[^\s{,:]{1,64}/.exec(stripBidi(info).trim())?.[0];
  return word === undefined ? undefined : word;
}
