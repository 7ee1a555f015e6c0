import { altText } from "../inline.ts";
import { allowedTarget, isDeceptiveLabel, printedTarget, schemeOf, settleTarget } from "../links.ts";
import { stripBidi } from "../parse/parser.ts";
import type { Token } from "../parse/tokens.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character) : text;
}

/** Tokens that are one tag each, opened and closed. Everything that is not listed or written out below is dropped or escaped. */
const TAGS: Readonly<Record<string, string>> = {
  blockquote_open: '<blockquote dir="auto">',
  blockquote_close: "</blockquote>",
  bullet_list_open: '<ul dir="auto">',
  bullet_list_close: "</ul>",
  ordered_list_close: "</ol>",
  list_item_close: "</li>",
  table_open: '<table dir="auto">',
  table_close: "</table>",
  thead_open: "<thead>",
  thead_close: "</thead>",
  tbody_open: "<tbody>",
  tbody_close: "</tbody>",
  tr_open: "<tr>",
  tr_close: "</tr>",
  th_close: "</th>",
  td_close: "</td>",
  hr: "<hr>",
  footnote_close: "</p>",
  strong_open: "<strong>",
  strong_close: "</strong>",
  em_open: "<em>",
  em_close: "</em>",
  s_open: "<s>",
  s_close: "</s>",
  spoiler_open: '<span class="spoiler">',
  spoiler_close: "</span>",
  softbreak: "<br>",
  hardbreak: "<br>",
};

/**
 * A safe HTML fragment of a token stream: a closed set of tags and attributes, all text escaped, links to http, https and mailto only,
 * pictures as links. Text direction is found per block, so that a right-to-left paragraph reads well in a left-to-right page.
 */
export function renderHtml(tokens: readonly Token[]): string {
  const out: string[] = [];
  tokens.forEach((token, index) => out.push(TAGS[token.type] ?? blockHtml(token, tokens, index)));
  return out.join("");
}

function blockHtml(token: Token, tokens: readonly Token[], index: number): string {
  switch (token.type) {
    case "inline":
      return inlineHtml(withoutTaskBox(token, tokens, index));
    case "paragraph_open":
      return token.hidden ? "" : '<p dir="auto">';
    case "paragraph_close":
      // In a tight list the line end after the text is all that separates it from what follows in the item.
      return token.hidden ? "" : "</p>";
    case "heading_open":
      return `<${heading(token)} dir="auto">`;
    case "heading_close":
      return `</${heading(token)}>`;
    case "ordered_list_open": {
      const start = Number(token.attrGet("start") ?? 1);
      return start === 1 ? '<ol dir="auto">' : `<ol dir="auto" start="${start}">`;
    }
    case "list_item_open":
      return itemHtml(tokens, index);
    case "th_open":
    case "td_open":
      return cellHtml(token);
    case "fence":
      return codeHtml(token.content, /^[\w+#.-]{1,64}/.exec(token.info.trim())?.[0]);
    case "code_block":
      return codeHtml(token.content, undefined);
    case "math_block":
      return codeHtml(token.content, "latex");
    case "footnote_open":
      return `<p class="footnote" dir="auto">[${Number(token.meta?.["number"] ?? 0)}] `;
    default:
      return "";
  }
}

function heading(token: Token): string {
  return /^h[1-6]$/.test(token.tag) ? token.tag : "h6";
}

function cellHtml(token: Token): string {
  const tag = token.type === "th_open" ? "th" : "td";
  const align = /(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
  return align === undefined ? `<${tag}>` : `<${tag} align="${align}">`;
}

function codeHtml(source: string, language: string | undefined): string {
  const code = escapeHtml(stripBidi(source.endsWith("\n") ? source.slice(0, -1) : source));
  if (code.trim() === "") return "";
  const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
  return `<pre dir="auto"><code${attribute}>${code}</code></pre>`;
}

/** The state of a task item whose list_item_open stands at `index`. */
function taskOf(tokens: readonly Token[], index: number): "open" | "done" | undefined {
  if (tokens[index + 1]?.type !== "paragraph_open") return undefined;
  const first = tokens[index + 2]?.children?.[0];
  const box = first?.type === "text" ? /^\[([ xX])\](?: |$)/.exec(first.content) : null;
  return box === null ? undefined : box[1] === " " ? "open" : "done";
}

function itemHtml(tokens: readonly Token[], index: number): string {
  const task = taskOf(tokens, index);
  if (task === undefined) return '<li dir="auto">';
  return `<li class="task" dir="auto"><input type="checkbox" disabled${task === "done" ? " checked" : ""}> `;
}

function withoutTaskBox(token: Token, tokens: readonly Token[], index: number): readonly Token[] {
  const children = token.children ?? [];
  if (tokens[index - 2]?.type !== "list_item_open" || taskOf(tokens, index - 2) === undefined) return children;
  const first = children[0] as Token;
  return [{ ...first, content: first.content.slice(4) } as Token, ...children.slice(1)];
}

/** What an inline style is inside the same style: nothing. Browsers take seconds for what is nested ten thousand deep. */
const STYLE = /^(strong|em|s|spoiler)_(open|close)$/;

function inlineHtml(tokens: readonly Token[], inLink = false): string {
  const depth: Record<string, number> = {};
  /** Whether the tag of a style is to be written. */
  const isOutermost = (style: string, edge: string): boolean => {
    const before = depth[style] ?? 0;
    depth[style] = before + (edge === "open" ? 1 : -1);
    return edge === "open" ? before === 0 : before === 1;
  };
  let out = "";
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i] as Token;
    const tag = TAGS[token.type];
    const [, style, edge] = STYLE.exec(token.type) ?? [];
    if (tag !== undefined) out += style === undefined || edge === undefined || isOutermost(style, edge) ? tag : "";
    else if (token.type === "link_open") {
      let end = i + 1;
      while (end < tokens.length && tokens[end]?.type !== "link_close") end += 1;
      out += linkHtml(String(token.attrGet("href") ?? ""), tokens.slice(i + 1, end));
      i = end;
    } else if (token.type === "image") out += imageHtml(token, inLink);
    else if (token.type === "code_inline" || token.type === "math_inline") out += `<code>${escapeHtml(stripBidi(token.content))}</code>`;
    else if (token.type === "footnote_ref") out += `<sup>${escapeHtml(token.content)}</sup>`;
    else out += escapeHtml(stripBidi(token.content));
  }
  return out;
}

function linkHtml(href: string, label: readonly Token[]): string {
  const target = allowedTarget(href);
  const inner = inlineHtml(label, true);
  if (target === undefined) return inner;
  const text = altText({ children: [...label] } as unknown as Token).trim();
  if (text === "") return isLinkable(target) ? anchor(target, escapeHtml(target)) : escapeHtml(printedTarget(target));
  const settled = settleTarget(text, target);
  if (!isLinkable(target)) return text === printedTarget(target) ? inner : `${inner} (${escapeHtml(printedTarget(target))})`;
  if (settled === text || !isDeceptiveLabel(text, target)) return anchor(target, inner);
  return `${inner} (${anchor(target, escapeHtml(target))})`;
}

function imageHtml(token: Token, inLink: boolean): string {
  const alt = altText(token).trim();
  const target = allowedTarget(String(token.attrGet("src") ?? ""));
  if (inLink || target === undefined) return escapeHtml(alt);
  if (!isLinkable(target)) return escapeHtml(alt === "" ? target : `${alt} (${target})`);
  if (alt === "" || !isDeceptiveLabel(alt, target)) return anchor(target, escapeHtml(alt === "" ? target : alt));
  return `${escapeHtml(alt)} (${anchor(target, escapeHtml(target))})`;
}

function isLinkable(target: string): boolean {
  const scheme = schemeOf(target);
  return scheme === "http" || scheme === "https" || scheme === "mailto";
}

function anchor(target: string, inner: string): string {
  return `<a href="${escapeHtml(target)}" target="_blank" rel="noopener nofollow noreferrer">${inner}</a>`;
}
