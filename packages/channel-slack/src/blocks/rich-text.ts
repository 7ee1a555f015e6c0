import { appendElements, type InlineReader, pieces } from "./inline.ts";
import type { Container, ListItem, Segment } from "./segments.ts";
import { BLOCK_LIMITS, type InlineElement, type RichElement, type RichList, type RichSection } from "./shapes.ts";

const BULLETS = ["• ", "◦ ", "▪ "];
const RULE = "──────────";
/** A rich text element must not be without text. */
const NOTHING: InlineElement = { type: "text", text: " " };

/** Lines that become one section or one quote. */
interface Paragraph {
  readonly type: "rich_text_section" | "rich_text_quote";
  /** The outermost quote around it. */
  readonly owner: Container | undefined;
  readonly elements: InlineElement[];
  end: number;
}

/** A list that may go on. */
interface OpenList {
  readonly list: Omit<RichList, "elements"> & { readonly elements: RichSection[] };
  /** Number of the next item. */
  number: number;
  end: number;
}

/**
 * Makes rich text elements of segments: paragraphs are sections with their blank lines inside, lists and quotes are the platform's own.
 * What those cannot hold (a list in a nested quote, a task box in place of a bullet, item number 0) is written as text.
 */
export class RichTextWriter {
  readonly elements: RichElement[] = [];
  readonly #reader: InlineReader;
  readonly #begun = new Set<Container>();
  #paragraph: Paragraph | undefined;
  #list: OpenList | undefined;
  /** The item that the last line was written to, with its elements. */
  #item: { readonly item: ListItem; readonly elements: InlineElement[]; end: number } | undefined;

  constructor(reader: InlineReader) {
    this.#reader = reader;
  }

  /** Adds a line of text or a rule inside a list or quote. */
  line({ start, end, chain, kind }: Segment): void {
    const inner = chain.at(-1);
    this.#beginItems(chain.slice(0, -1), start);
    const content = kind === "rule" ? [{ type: "text", text: RULE } as const] : this.#reader.take(start, end);
    if (inner?.kind !== "list_item") this.#text(chain, "", content, start, end);
    else if (this.#begun.has(inner) || inner.continued === true) this.#continueItem(inner, chain, content, start, end);
    else this.#beginItem(inner, chain, content, start, end);
  }

  /** Adds code. It stands for itself: a list or quote around it only draws its bar. */
  code({ start, end, chain }: Segment, language: string | undefined): void {
    this.#beginItems(chain, start);
    this.flush();
    const elements = this.#reader.take(start, end).flatMap((element) => (element.type === "text" ? pieces(element.text) : []));
    this.elements.push({
      type: "rich_text_preformatted",
      elements: elements.map((text) => ({ type: "text", text })),
      ...(chain.some(({ kind }) => kind === "quote") ? { border: 1 as const } : {}),
      ...(language !== undefined && /^[\w+#.-]{1,32}$/.test(language) ? { language } : {}),
    });
  }

  /** Begins the items around something that is not their first line: their bullets stand alone. */
  beginItems(chain: readonly Container[], at: number): void {
    this.#beginItems(chain, at);
    this.flush();
  }

  /** Ends what is being written. */
  flush(): void {
    const paragraph = this.#paragraph;
    this.#paragraph = undefined;
    this.#list = undefined;
    this.#item = undefined;
    if (paragraph !== undefined && hasText(paragraph.elements)) {
      this.elements.push({ type: paragraph.type, elements: paragraph.elements });
    }
  }

  #beginItems(chain: readonly Container[], at: number): void {
    chain.forEach((container, index) => {
      if (container.kind !== "list_item" || container.continued === true || this.#begun.has(container)) return;
      this.#beginItem(container, chain.slice(0, index + 1), [], at, at);
    });
  }

  #beginItem(item: ListItem, chain: readonly Container[], content: InlineElement[], start: number, end: number): void {
    this.#begun.add(item);
    const quotes = countOf(chain, "quote");
    const box = item.task === undefined ? "" : item.task === "done" ? "☑ " : "☐ ";
    const inOneQuote = quotes === 1 && chain[0]?.kind === "quote";
    const native = (quotes === 0 || inOneQuote) && (item.ordered ? item.number >= 1 : item.task === undefined);
    if (!native) {
      const bullet = item.ordered ? `${item.number}. ` : box === "" ? (BULLETS[Math.min(item.depth, BULLETS.length) - 1] ?? "") : "";
      return this.#text(chain, `${indentOf(chain, -1)}${bullet}${box}`, content, start, end);
    }
    const elements = withText(box, content);
    if (elements.length === 0) elements.push(NOTHING);
    const open = this.#listFor(item, chain, inOneQuote, start);
    open.list.elements.push({ type: "rich_text_section", elements });
    open.number += 1;
    open.end = end;
    this.#item = { item, elements, end };
  }

  /** The open list when the item goes on with it, else a new one. */
  #listFor(item: ListItem, chain: readonly Container[], border: boolean, start: number): OpenList {
    const indent = Math.min(BLOCK_LIMITS.indent, countOf(chain, "list_item") - 1);
    const style = item.ordered ? "ordered" : "bullet";
    const open = this.#list;
    if (open !== undefined && start - open.end <= 1 && (!item.ordered || open.number === item.number)) {
      const { list } = open;
      if (list.style === style && list.indent === indent && (list.border === 1) === border) return open;
    }
    this.flush();
    const list: OpenList["list"] = {
      type: "rich_text_list",
      style,
      indent,
      ...(item.ordered && item.number > 1 ? { offset: item.number - 1 } : {}),
      ...(border ? { border: 1 } : {}),
      elements: [],
    };
    this.elements.push(list);
    this.#list = { list, number: item.number, end: start };
    return this.#list;
  }

  #continueItem(item: ListItem, chain: readonly Container[], content: InlineElement[], start: number, end: number): void {
    const open = this.#item;
    if (open?.item !== item) return this.#text(chain, indentOf(chain, 0), content, start, end);
    appendElements(open.elements, withText("\n".repeat(start - open.end), content));
    open.end = end;
    if (this.#list !== undefined) this.#list.end = end;
  }

  /** A line of a paragraph or quote; `prefix` stands in for what the platform does not draw here. */
  #text(chain: readonly Container[], prefix: string, content: readonly InlineElement[], start: number, end: number): void {
    const quotes = countOf(chain, "quote");
    const type = quotes > 0 ? "rich_text_quote" : "rich_text_section";
    const owner = chain.find(({ kind }) => kind === "quote");
    let open = this.#paragraph;
    if (open === undefined || open.type !== type || open.owner !== owner) {
      this.flush();
      open = { type, owner, elements: [], end: start };
      this.#paragraph = open;
    }
    const marks = "> ".repeat(Math.max(0, quotes - 1));
    appendElements(open.elements, withText(`${"\n".repeat(start - open.end)}${marks}${prefix}`, content));
    open.end = end;
  }
}

function countOf(chain: readonly Container[], kind: Container["kind"]): number {
  return chain.filter((container) => container.kind === kind).length;
}

/** The indentation of text in a list: four columns a level. */
function indentOf(chain: readonly Container[], more: number): string {
  return "    ".repeat(Math.max(0, countOf(chain, "list_item") + more));
}

function withText(text: string, content: readonly InlineElement[]): InlineElement[] {
  const elements: InlineElement[] = pieces(text).map((piece) => ({ type: "text", text: piece }));
  appendElements(elements, content);
  return elements;
}

function hasText(elements: readonly InlineElement[]): boolean {
  return elements.some((element) => element.type !== "text" || element.text.trim() !== "");
}
