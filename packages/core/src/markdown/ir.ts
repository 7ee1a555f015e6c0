import type { MarkdownIR } from "@trunkline/plugin-sdk";
import { BlockWalk } from "./block-walk.ts";
import type { MarkdownOptions } from "./options.ts";
import { parseMarkdown } from "./parse/parser.ts";
import type { Token } from "./parse/tokens.ts";

export type { MarkdownOptions } from "./options.ts";

/** Markdown as visible text with spans and blocks. Pure, linear, never throws; HTML is text. */
export function markdownToIR(markdown: string, options: MarkdownOptions = {}): MarkdownIR {
  return markdownToIRWithMeta(markdown, options).ir;
}

/** Like `markdownToIR`, and tells whether there was a table that the table mode turned into something else. */
export function markdownToIRWithMeta(
  markdown: string,
  options: MarkdownOptions = {},
): { readonly ir: MarkdownIR; readonly hasTables: boolean } {
  const tables = (options.tableMode ?? "off") !== "off";
  const tokens = parseMarkdown(markdown, { tables, linkify: options.linkify ?? true });
  return tokensToIR(tokens, options);
}

/** The IR of an already parsed text. */
export function tokensToIR(tokens: readonly Token[], options: MarkdownOptions): { readonly ir: MarkdownIR; readonly hasTables: boolean } {
  const walk = new BlockWalk(tokens, options);
  return { ir: walk.run(), hasTables: walk.hasTables };
}
