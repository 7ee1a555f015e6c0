import createMarkdownIt, { type MarkdownIt, type StateCore } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { footnoteDefinition, footnoteReference, inlineFootnote, numberOf } from "./footnotes.ts";
import { bareUrl, lineBreakTag, plainText, shortcode } from "./inline-rules.ts";
import { blockMath, inlineMath } from "./math.ts";
import { useQuickTokens } from "./quick-token.ts";
import { pairSpoilers, spoilerMark } from "./spoiler.ts";
import type { BlockState, ParseEnv, Token } from "./tokens.ts";

/** Depth of containers beyond which lines are taken literally. The parser would drop them at 100. */
const MAX_DEPTH = 60;

/** What one parse may be asked to leave alone. */
export interface ParseOptions {
  readonly tables: boolean;
  readonly linkify: boolean;
}

/**
 * Markdown to a token stream: CommonMark with tables, strikethrough, emphasis that understands CJK, spoilers, math, footnotes,
 * shortcodes and bare URLs. HTML is text. Linear in its input; nothing visible is dropped. Footnotes come last, as
 * `footnote_open`, `inline`, `footnote_close`.
 */
export function parseMarkdown(markdown: string, options: ParseOptions): Token[] {
  const env: ParseEnv = { linkify: options.linkify };
  const parser = options.tables ? withTables : withoutTables;
  return parser.parse(stripBidi(wellFormed(markdown)), env) as Token[];
}

/** Writes an absolute target as a browser would, or leaves it as it is. For comparing a label with its target. */
export function normalizeTarget(href: string): string {
  return withTables.normalizeLink(href);
}

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Half a character, as a model's stream may leave one, can be encoded for no platform; a byte order mark hides what a line begins with. */
function wellFormed(text: string): string {
  return (text.startsWith("\ufeff") ? text.slice(1) : text).replace(HALF, "\ufffd");
}

const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

/** Removes the invisible characters that reorder text: they make a line read as something that it is not. */
export function stripBidi(text: string): string {
  return text.replace(BIDI, "");
}

const withTables = createParser(true);
const withoutTables = createParser(false);

function createParser(tables: boolean): MarkdownIt {
  const parser = new createMarkdownIt("default", {
    html: false,
    breaks: false,
    typographer: false,
    linkify: false,
  });
  useQuickTokens(parser);
  parser.use(cjkFriendly);
  // A refused scheme must reach the IR as a label without a target, not as raw source.
  parser.validateLink = () => true;
  const { inline, block, core } = parser;
  inline.ruler.at("text", plainText);
  inline.ruler.disable(["linkify", "html_inline"]);
  inline.ruler.before("emphasis", "spoiler", spoilerMark);
  inline.ruler.before("link", "footnote_reference", footnoteReference);
  inline.ruler.after("escape", "math", inlineMath);
  inline.ruler.before("autolink", "line_break_tag", lineBreakTag);
  inline.ruler.push("inline_footnote", inlineFootnote);
  inline.ruler.after("newline", "bare_url", bareUrl);
  inline.ruler.after("bare_url", "shortcode", shortcode);
  inline.ruler2.before("fragments_join", "spoiler", pairSpoilers);
  block.ruler.disable(tables ? ["html_block"] : ["html_block", "table"]);
  block.ruler.before("table", "too_deep", tooDeep);
  block.ruler.before("fence", "math", blockMath, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  block.ruler.before("reference", "footnote", footnoteDefinition, {
    alt: ["paragraph", "reference"],
  });
  core.ruler.disable(["linkify", "replacements", "smartquotes"]);
  core.ruler.after("inline", "footnotes", (state) => appendFootnotes(parser, state));
  return parser;
}

/** Content nested absurdly deep is one literal paragraph rather than lost. */
function tooDeep(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level < MAX_DEPTH) return false;
  state.push("paragraph_open", "p", 1).map = [startLine, endLine];
  const inline = state.push("inline", "", 0);
  inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  inline.map = [startLine, endLine];
  inline.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = endLine;
  return true;
}

/** Notes at the end, in the order of their numbers; defined but never referred to, they come after the others. */
function appendFootnotes(parser: MarkdownIt, state: StateCore): void {
  const env = state.env as ParseEnv;
  const notes = env.footnotes;
  if (notes === undefined || state.inlineMode) return;
  let appended = 0;
  const append = (): void => {
    while (appended < notes.sources.length) {
      const open = new state.Token("footnote_open", "", 1);
      open.meta = { number: appended + 1 };
      // Parsing a note may number further ones.
      state.tokens.push(open, ...parser.parseInline(notes.sources[appended] ?? "", env), new state.Token("footnote_close", "", -1));
      appended += 1;
    }
  };
  append();
  for (const [label, source] of notes.definitions) {
    numberOf(notes, label, source);
    append();
  }
}
