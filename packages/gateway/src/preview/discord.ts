import { bareUrl, codeHtml, escapeHtml, linkHtml, spoilerHtml } from "./escape.ts";
import { splitFences } from "./lines.ts";

/** A text as Discord's apps draw it. */
export function discordHtml(text: string): string {
  return splitFences(text, /```(?:(?<language>[\w+#.-]+)\n)?\n*(?<code>(?:(?!```)[\s\S])+?)\n*```/g)
    .map((piece) => (typeof piece === "string" ? blocksHtml(piece) : codeHtml(piece.code, piece.language)))
    .join("");
}

function blocksHtml(text: string): string {
  if (text.trim() === "") return "";
  const lines = text.replace(/^\n|\n$/g, "").split("\n");
  let html = "";
  let quote: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (quote.length > 0) html += `<blockquote>${quote.map(lineHtml).join("")}</blockquote>`;
    if (paragraph.length > 0) html += `<div class="text">${inlineHtml(paragraph.join("\n"))}</div>`;
    quote = [];
    paragraph = [];
  };
  for (const line of lines) {
    if (line.startsWith("> ")) {
      if (paragraph.length > 0) flush();
      quote.push(line.slice(2));
    } else if (SPECIAL.test(line)) {
      flush();
      html += lineHtml(line);
    } else {
      if (quote.length > 0) flush();
      paragraph.push(line);
    }
  }
  flush();
  return html;
}

const SPECIAL = /^(?:#{1,3} |-# | *(?:[-*]|\d+\.) )\S/;

function lineHtml(line: string): string {
  const heading = /^(#{1,3}) (?=\S)/.exec(line);
  if (heading) return `<div class="heading h${heading[1]?.length ?? 1}">${inlineHtml(line.slice(heading[0].length))}</div>`;
  const small = /^-# (?=\S)/.exec(line);
  if (small) return `<div class="small">${inlineHtml(line.slice(3))}</div>`;
  const item = /^( *)([-*]|\d+\.) (?=\S)/.exec(line);
  if (!item) return `<div class="text">${inlineHtml(line)}</div>`;
  const [whole, spaces = "", sign = ""] = item;
  const depth = Math.min(8, Math.ceil(spaces.length / 2));
  const shown = /\d/.test(sign) ? sign : depth === 0 ? "•" : "◦";
  return `<div class="item depth-${depth}"><span class="sign">${shown}</span><span>${inlineHtml(line.slice(whole.length))}</span></div>`;
}

type Drawer = (match: RegExpExecArray) => string;

const inside =
  (tag: string): Drawer =>
  (match) =>
    `<${tag}>${inlineHtml(match[1] ?? "")}</${tag}>`;

/** Discord's inline rules in their order; the first that fits at a position wins. [discord-markdown-parser] */
const INLINE: readonly (readonly [RegExp, Drawer])[] = [
  [/^\\([^A-Za-z0-9\s])/, (match) => escapeHtml(match[1] ?? "")],
  [/^(`{1,2})((?:(?!\1)[\s\S])+?)\1(?!`)/, (match) => `<code>${escapeHtml(match[2] ?? "")}</code>`],
  [/^<(https?:\/\/[^\s<>]+)>/, (match) => linkHtml(match[1] ?? "", escapeHtml(match[1] ?? ""))],
  [/^\[((?:\\.|[^[\]\\\n])+)\]\(<?(https?:\/\/[^\s<>()]+)>?\)/, (match) => maskedLink(match)],
  [/^(<(?:@[!&]?|#)\d+>|@everyone|@here)/, (match) => `<span class="mention">${escapeHtml(match[1] ?? "")}</span>`],
  [/^\*\*((?:\\[\s\S]|\*(?!\*)|[^*\\])+?)\*\*(?!\*)/, inside("strong")],
  [/^\*\*\*((?:\\[\s\S]|[^*\\])+?)\*\*\*(?!\*)/, (match) => `<strong><em>${inlineHtml(match[1] ?? "")}</em></strong>`],
  [/^__((?:\\[\s\S]|_(?!_)|[^_\\])+?)__(?!_)/, inside("u")],
  [/^\*(?![\s*])((?:\\[\s\S]|\*\*(?:\\[\s\S]|[^*\\])+?\*\*|[^*\\])+?)\*(?!\*)/, inside("em")],
  [/^_((?:\\[\s\S]|__|[^_\\])+?)_(?![\p{L}\p{N}_])/u, inside("em")],
  [/^~~((?:\\[\s\S]|~(?!~)|[^~\\])+?)~~/, inside("s")],
  [/^\|\|((?:\\[\s\S]|\|(?!\|)|[^|\\])+?)\|\|/, (match) => spoilerHtml(inlineHtml(match[1] ?? ""))],
];

/** A label that looks like an address makes the whole link literal. */
function maskedLink([whole, label = "", url = ""]: RegExpExecArray): string {
  // Backslashes of a label are shown.
  return /https?:\/\//i.test(label) ? escapeHtml(whole) : linkHtml(url, inlineHtml(label.replaceAll("\\", "\\\\")));
}

function inlineHtml(text: string): string {
  let html = "";
  let from = 0;
  for (let at = 0; at < text.length;) {
    const found = MARKS.includes(text[at] ?? "") ? ruleAt(text.slice(at), text[at - 1] ?? "") : undefined;
    if (found === undefined) {
      at += 1;
      continue;
    }
    html += escapeHtml(text.slice(from, at)) + found.html;
    at += found.length;
    from = at;
  }
  return html + escapeHtml(text.slice(from));
}

/** Characters that a rule can begin with; `h` is an address. */
const MARKS = "\\`<[@*_~|h";

function ruleAt(rest: string, before: string): { readonly html: string; readonly length: number } | undefined {
  const url = bareUrl(rest);
  if (url !== undefined) return { html: linkHtml(url, escapeHtml(url)), length: url.length };
  for (const [pattern, draw] of INLINE) {
    // One underscore inside a word is no marker.
    if (rest.startsWith("_") && !rest.startsWith("__") && /[\p{L}\p{N}]/u.test(before)) return undefined;
    const match = pattern.exec(rest);
    if (match) return { html: draw(match), length: match[0].length };
  }
  return undefined;
}
