/**
 * What Slack's API asks of blocks, written from its reference and apart from the code that makes them: gives what is wrong.
 * [docs.slack.dev/reference/block-kit/blocks, .../rich-text-block, .../table-block]
 */
export function slackFaults(blocks: unknown): string[] {
  const faults: string[] = [];
  const check = new Checker(faults);
  if (!Array.isArray(blocks) || blocks.length === 0) return ["blocks are a list with something in it"];
  if (blocks.length > 50) faults.push(`${blocks.length} blocks`);
  if (blocks.filter((block) => (block as Json)["type"] === "table").length > 1) faults.push("more than one table");
  blocks.forEach((block, index) => check.block(block as Json, `blocks[${index}]`));
  const { length } = JSON.stringify(blocks.filter((block) => (block as Json)["type"] !== "table"));
  if (length > 12_100) faults.push(`${length} characters of JSON`);
  if (textOf(blocks).length > 12_000) faults.push("more than 12,000 characters");
  return faults;
}

type Json = Readonly<Record<string, unknown>>;

/** All text that blocks show, targets of links left out. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (typeof value !== "object" || value === null) return "";
  const { type, text, url, elements, rows } = value as Json;
  if (type === "text" || type === "raw_text") return String(text);
  if (type === "link") return String(text ?? url);
  return textOf(elements) + textOf(rows);
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  rich_text: ["type", "elements"],
  divider: ["type"],
  table: ["type", "rows", "column_settings"],
  rich_text_section: ["type", "elements"],
  rich_text_quote: ["type", "elements"],
  rich_text_preformatted: ["type", "elements", "border", "language"],
  rich_text_list: ["type", "style", "indent", "offset", "border", "elements"],
  text: ["type", "text", "style"],
  link: ["type", "url", "text", "style"],
  user: ["type", "user_id"],
  usergroup: ["type", "usergroup_id"],
  channel: ["type", "channel_id"],
  raw_text: ["type", "text"],
};

class Checker {
  readonly #faults: string[];

  constructor(faults: string[]) {
    this.#faults = faults;
  }

  block(block: Json, at: string): void {
    this.#keys(block, at, ["rich_text", "divider", "table"]);
    if (block["type"] === "rich_text") this.#richText(block, at);
    if (block["type"] === "table") this.#table(block, at);
  }

  #richText(block: Json, at: string): void {
    for (const [index, element] of this.#list(block["elements"], `${at}.elements`).entries()) {
      const here = `${at}.elements[${index}]`;
      this.#keys(element, here, ["rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted"]);
      if (element["type"] === "rich_text_list") this.#richList(element, here);
      else this.#inline(element, here, element["type"] === "rich_text_preformatted");
    }
  }

  #richList(list: Json, at: string): void {
    if (list["style"] !== "bullet" && list["style"] !== "ordered") this.#faults.push(`${at}: style`);
    this.#integer(list["indent"], 0, 8, `${at}.indent`);
    if ("offset" in list) this.#integer(list["offset"], 1, 1_000_000_000, `${at}.offset`);
    if ("border" in list) this.#integer(list["border"], 0, 1, `${at}.border`);
    for (const item of this.#list(list["elements"], `${at}.elements`)) {
      this.#keys(item, at, ["rich_text_section"]);
      this.#inline(item, at, false);
    }
  }

  #inline(element: Json, at: string, plainOnly: boolean): void {
    for (const inline of this.#list(element["elements"], `${at}.elements`)) {
      this.#keys(inline, at, plainOnly ? ["text"] : ["text", "link", "user", "usergroup", "channel"]);
      const { type, text, url, style } = inline;
      if (type === "text" || "text" in inline) this.#text(text, 3000, at);
      if (type === "link" && (!/^(?:https?:\/\/|mailto:)\S+$/i.test(String(url)) || String(url).length > 3000))
        this.#faults.push(`${at}: url ${String(url)}`);
      if (plainOnly && style !== undefined) this.#faults.push(`${at}: style in code`);
      for (const [name, on] of Object.entries(style ?? {})) {
        if (!["bold", "italic", "strike", "code"].includes(name) || on !== true) this.#faults.push(`${at}: style ${name}`);
      }
    }
  }

  #table({ rows, column_settings: settings }: Json, at: string): void {
    const lines = this.#list(rows, `${at}.rows`) as unknown as Json[][];
    if (lines.length > 100) this.#faults.push(`${at}: ${lines.length} rows`);
    const widths = new Set(lines.map((row) => row.length));
    if (widths.size > 1) this.#faults.push(`${at}: rows of different lengths`);
    if (Math.max(...widths) > 20 || Math.min(...widths) < 1) this.#faults.push(`${at}: columns`);
    if (textOf(lines).length > 10_000) this.#faults.push(`${at}: more than 10,000 characters`);
    if ((settings as unknown[]).length > 20) this.#faults.push(`${at}: column settings`);
    for (const cell of lines.flat()) {
      this.#keys(cell, at, ["raw_text", "rich_text"]);
      if (cell["type"] === "raw_text") this.#text(cell["text"], 10_000, at);
      else this.#richText(cell, at);
    }
  }

  #text(text: unknown, most: number, at: string): void {
    if (typeof text !== "string" || text.length < 1 || text.length > most) this.#faults.push(`${at}: text of ${String(text).length}`);
    else if (!text.isWellFormed()) this.#faults.push(`${at}: half a character`);
  }

  #integer(value: unknown, least: number, most: number, at: string): void {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) this.#faults.push(`${at}: ${String(value)}`);
  }

  #keys(value: Json, at: string, types: readonly string[]): void {
    const type = String(value["type"]);
    if (!types.includes(type)) this.#faults.push(`${at}: type ${type}`);
    for (const key of Object.keys(value)) if (!(KEYS[type] ?? []).includes(key)) this.#faults.push(`${at}: key ${key}`);
  }

  #list(value: unknown, at: string): Json[] {
    if (Array.isArray(value) && value.length > 0) return value as Json[];
    this.#faults.push(`${at} is empty`);
    return [];
  }
}
