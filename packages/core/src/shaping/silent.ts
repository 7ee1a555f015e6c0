import { codeAt, findCodeRegions, type CodeRegion } from "./code-regions.ts";
import { CJK, isInsignificant, isTokenAlone, tokenSource, undecidedTokenStart } from "./edge-token.ts";
import { removeTagBlocks, type TagFamily } from "./tag-blocks.ts";

/** What an agent answers to say nothing. `messages.silentToken` replaces it. */
export const SILENT_REPLY_TOKEN = "NO_REPLY";

/** Longest white space and decoration around a token that is alone on a line of a longer text, in UTF-16 units. */
const DECORATION = 200;
const LIST_OR_QUOTE = /^\s*(?:[-+*>|]|#{1,6})(?:\s|$)/;
const SENTENCE_END = /(?:[.!?…][)"'”’»\]*_]{0,3}\s+|[。！？｡．][）」』”’)\]*_]{0,3}\s*)$/u;
const CJK_END = new RegExp(`[${CJK}][*_]{0,3}\\s*$`, "u");
const SILENT_BLOCK: TagFamily = {
  pattern: /<\s*(?:(\/)\s*)?(silent)(\/|\s[^<>]*)?>/gi,
  key: (name) => name,
  opensImplicitly: false,
};

/**
 * Whether a text means silence: trimmed of white space, punctuation and Markdown wrappers it is the token, in any case.
 * Nothing else is silent, so that content is never lost to a token.
 */
export function isSilentReplyText(text: string | undefined, token: string = SILENT_REPLY_TOKEN): boolean {
  return text !== undefined && isTokenAlone(text, token);
}

/**
 * Whether a text means silence by `messages.silence: strict`: the token at its beginning or end silences all of it, and so does a
 * `<SILENT>` block anywhere.
 */
export function isStrictlySilent(text: string, token: string = SILENT_REPLY_TOKEN): boolean {
  const source = tokenSource(token.trim());
  if (removeSilentBlocks(text).found) return true;
  return (
    source !== "" &&
    new RegExp(`^[\\s\\p{P}\\p{S}]*${source}(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])${source}[\\s\\p{P}\\p{S}]*$`, "iu").test(text)
  );
}

/** What is left of a text without its silent token; `found` tells whether there was one at an edge. */
export interface SilentStrip {
  readonly text: string;
  readonly found: boolean;
}

/**
 * Takes the silent token off a longer text: alone on the first or last line, or the last word after the end of a sentence
 * or after CJK text. Anywhere else, and in code, the word is text. A text that is nothing but tokens becomes "".
 */
export function stripSilentToken(text: string, token: string = SILENT_REPLY_TOKEN): SilentStrip {
  const source = tokenSource(token.trim());
  if (source === "" || !new RegExp(source, "iu").test(text)) return { text, found: false };
  if (isTokenAlone(text, token)) return { text: "", found: true };

  const regions = findCodeRegions(text);
  const start = skipSilentLines(text, token, regions);
  const end = dropSilentEnd(text, start, token, regions);
  if (start === 0 && end === text.length) return { text, found: false };
  const rest = text.slice(start, end);
  return { text: isTokenAlone(rest, token) || rest.trim() === "" ? "" : rest, found: true };
}

/** The text without `<SILENT>` blocks and their content; `found` tells whether there was one. Code is left alone. */
export function removeSilentBlocks(text: string): SilentStrip {
  const rest = removeTagBlocks(text, SILENT_BLOCK);
  return { text: rest, found: rest !== text };
}

function skipSilentLines(text: string, token: string, regions: readonly CodeRegion[]): number {
  let start = 0;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    const blank = line.trim() === "";
    if (!blank && !isSilentLine(line, at, token, regions)) break;
    at = newline < 0 ? text.length : newline + 1;
    // Blank lines before the first token are the text's own; those after one go with it.
    if (!blank || start > 0) start = at;
  }
  return start;
}

function dropSilentEnd(text: string, start: number, token: string, regions: readonly CodeRegion[]): number {
  let end = text.length;
  for (;;) {
    const visible = start + text.slice(start, end).trimEnd().length;
    if (visible <= start) return end;
    // Only a window is looked at, so that an endless last line costs no more than a short one.
    const from = Math.max(start, visible - DECORATION - 2 * token.length);
    const newline = text.slice(from, visible).lastIndexOf("\n");
    const lineStart = from + newline + 1;
    const wholeLine = newline >= 0 || from === start;
    const line = text.slice(lineStart, visible);
    const cut = wholeLine && isSilentLine(line, lineStart, token, regions) ? lineStart : lastWordStart(line, lineStart, token, regions);
    if (cut === undefined) return end;
    end = start + text.slice(start, cut).trimEnd().length;
  }
}

/**
 * Where a token that a growing text may still be spelling out begins, decoration included; undefined when the text's end cannot
 * become one. Only places count where the finished token would be taken off.
 */
export function undecidedSilentStart(text: string, token: string = SILENT_REPLY_TOKEN): number | undefined {
  return undecidedTokenStart(text, token, (before) => {
    const line = before.slice(before.lastIndexOf("\n") + 1);
    return (
      (isInsignificant(line) && !LIST_OR_QUOTE.test(line)) || isInsignificant(before) || SENTENCE_END.test(before) || CJK_END.test(before)
    );
  });
}

function isSilentLine(line: string, offset: number, token: string, regions: readonly CodeRegion[]): boolean {
  if (line.length > 2 * token.length + DECORATION || LIST_OR_QUOTE.test(line) || !isTokenAlone(line, token)) return false;
  const at = new RegExp(tokenSource(token.trim()), "iu").exec(line)?.index ?? 0;
  return codeAt(regions, offset + at) === undefined;
}

/** Where the token that ends a line begins, wrappers included, when a sentence or CJK text ends right before it. */
function lastWordStart(line: string, offset: number, token: string, regions: readonly CodeRegion[]): number | undefined {
  const pattern = new RegExp(`[*_~"'“”‘’(\\[]{0,8}((?:${tokenSource(token.trim())}[\\s\\p{P}]{0,4})+?)[\\p{P}\\p{Cf}~\\s]{0,32}$`, "iu");
  const match = pattern.exec(line);
  if (match === null || codeAt(regions, offset + match.index + match[0].indexOf(match[1] ?? "")) !== undefined) return undefined;
  const before = line.slice(0, match.index);
  if (isInsignificant(before)) return undefined;
  return SENTENCE_END.test(before) || CJK_END.test(before) ? offset + match.index : undefined;
}
