import { codeHtml, escapeHtml, linkHtml } from "./escape.ts";
import { type LineKind, linesHtml, splitFences } from "./lines.ts";
import { markedLine, type MarkerRule, type TokenReader } from "./markers.ts";

/** Where markers are read as such. [slack-message-parser] */
const opens = (before: string): boolean => /(?:^|[\s.,([{!?\-=\u200b])$/.test(before);
const closes = (after: string): boolean => /^(?:$|[\s.,\])}!?\-=\u200b])/.test(after);
const closesBold = (after: string): boolean => /^(?:$|[\s~!#$%^)\-+={}[\];:'",.?/\u200b])/.test(after);

const RULES: readonly MarkerRule[] = [
  { marker: "`", tag: "code", opens, closes, raw: true },
  { marker: "*", tag: "strong", opens, closes: closesBold },
  { marker: "_", tag: "em", opens, closes },
  { marker: "~", tag: "s", opens, closes },
];

/** A mrkdwn text as Slack draws it: what notifications show, and the message when its blocks are refused. */
export function slackTextHtml(text: string): string {
  return splitFences(text, /```\n?(?<code>(?=[\s\S]*?\S)(?:(?!```)[\s\S])*?)\n?```/g)
    .map((piece) => (typeof piece === "string" ? linesHtml(kindsOf(piece), inlineHtml) : codeHtml(unescape(piece.code))))
    .join("");
}

function kindsOf(text: string): LineKind[] {
  if (text === "") return [];
  return text.split("\n").map((line): LineKind => {
    const quote = /^(?:>|&gt;) ?/.exec(line);
    return quote ? { kind: "quote", text: line.slice(quote[0].length) } : { kind: "text", text: line };
  });
}

const token: TokenReader = (rest) => {
  const match = /^<([^\s<>|][^<>|\n]*)(?:\|([^<>\n]*))?>/.exec(rest);
  if (match === null) return undefined;
  const [whole, target = "", label] = match;
  // A token that reaches people rather than an address is what a model must not be able to write: it is made to stand out.
  const html = /^[@#!]/.test(target)
    ? `<span class="mention">${shown(label ?? target)}</span>`
    : linkHtml(unescape(target), shown(label ?? target));
  return { html, length: whole.length };
};

function inlineHtml(line: string): string {
  return markedLine(line, RULES, token, shown);
}

/** Slack decodes these three, once. */
function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function shown(text: string): string {
  return escapeHtml(unescape(text));
}
