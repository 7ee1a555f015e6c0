import { bareUrl, codeHtml, escapeHtml, linkHtml } from "./escape.ts";
import { type LineKind, linesHtml, splitFences } from "./lines.ts";
import { markedLine, type MarkerRule } from "./markers.ts";

/** Openers stand at the start of a line, behind white space, another marker or an opening sign. [mautrix wa-text.go; field reports] */
const opens = (before: string): boolean => /(?:^|[\s>_~*([{"'])$/.test(before);
const closes = (after: string): boolean => !/^[A-Za-z0-9]/.test(after);

const RULES: readonly MarkerRule[] = [
  { marker: "```", tag: "code", opens: () => true, closes: () => true, raw: true },
  { marker: "`", tag: "code", opens, closes, raw: true },
  { marker: "*", tag: "strong", opens, closes },
  { marker: "_", tag: "em", opens, closes },
  { marker: "~", tag: "s", opens, closes },
];

/** A text as WhatsApp's apps draw it. */
export function whatsappHtml(text: string): string {
  return splitFences(text, /```(?<code>(?=[\s\S]*?\S)[^`]?(?:(?!```)[\s\S])*?\n?(?:(?!```)[\s\S])*?)```/g)
    .map((piece) => {
      if (typeof piece === "string") return linesHtml(kindsOf(piece), inlineHtml);
      return piece.code.includes("\n") || /^\s|\s$/.test(piece.code) ? codeHtml(piece.code) : `<code>${escapeHtml(piece.code)}</code>`;
    })
    .join("");
}

function kindsOf(text: string): LineKind[] {
  if (text === "") return [];
  return text.split("\n").map((line): LineKind => {
    const bullet = /^[-*] (?=\S)/.exec(line);
    const number = /^(\d{1,2})\. (?=\S)/.exec(line);
    if (line.startsWith("> ")) return { kind: "quote", text: line.slice(2) };
    if (bullet) return { kind: "bullet", text: line.slice(2) };
    if (number) return { kind: "number", number: number[1] ?? "", text: line.slice(number[0].length) };
    return { kind: "text", text: line };
  });
}

function inlineHtml(line: string): string {
  const token = (rest: string): { html: string; length: number } | undefined => {
    const url = bareUrl(rest);
    return url === undefined ? undefined : { html: linkHtml(url, escapeHtml(url)), length: url.length };
  };
  return markedLine(line, RULES, token, escapeHtml);
}
