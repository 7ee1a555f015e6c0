import { shortcodeCharacter } from "./shortcodes.ts";
import type { InlineState } from "./tokens.ts";

/** Characters at which some inline rule may begin; everything between them is plain text. Indexed by code below 128. */
const STOPS = new Uint8Array(128);
for (const character of "\n!$&*:<[]\\^_`|~") STOPS[character.charCodeAt(0)] = 1;

/** Plain text up to the next character that means something. Replaces the parser's own, which does not stop at `|`. */
export function plainText(state: InlineState, silent: boolean): boolean {
  const { src, posMax } = state;
  let pos = state.pos;
  while (pos < posMax) {
    const code = src.charCodeAt(pos);
    if (code < 128 && STOPS[code] === 1) break;
    pos += 1;
  }
  if (pos === state.pos) return false;
  if (!silent) state.pending += src.slice(state.pos, pos);
  state.pos = pos;
  return true;
}

const LINE_BREAK = /<br ?\/?>/iy;

/** `<br>`: the one HTML tag that models write inside table cells and mean. */
export function lineBreakTag(state: InlineState, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  LINE_BREAK.lastIndex = state.pos;
  if (!LINE_BREAK.test(state.src)) return false;
  if (!silent) state.push("hardbreak", "br", 0);
  state.pos = LINE_BREAK.lastIndex;
  return true;
}

const SHORTCODE = /:([a-z0-9_+-]{1,40}):/y;
const WORD = /[\p{L}\p{N}_]/u;

/** `:rocket:` becomes its character when the code is known and does not stick to a word (`10:100:7` is no shortcode). */
export function shortcode(state: InlineState, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x3a) return false;
  const follows = state.env.shortcodeEnd === pos && src.charCodeAt(pos - 1) === 0x3a;
  if (pos > 0 && !follows && (src.charCodeAt(pos - 1) === 0x3a || isWordAt(src, pos - 1))) return false;
  SHORTCODE.lastIndex = pos;
  const match = SHORTCODE.exec(src);
  if (match === null || SHORTCODE.lastIndex > state.posMax) return false;
  const character = shortcodeCharacter(match[1] ?? "");
  if (character === undefined) return false;
  if (!silent) state.pending += character;
  state.pos = SHORTCODE.lastIndex;
  state.env.shortcodeEnd = state.pos;
  return true;
}

/** True when the UTF-16 unit at `index` belongs to a letter, digit or underscore. */
export function isWordAt(src: string, index: number): boolean {
  const code = src.charCodeAt(index);
  if (code < 128) {
    return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
  }
  if (code >= 0xdc00 && code <= 0xdfff) return WORD.test(src.slice(index - 1, index + 1));
  return WORD.test(String.fromCodePoint(src.codePointAt(index) ?? 0));
}

/** Full-width punctuation ends a URL: people write it directly after one. */
const URL_REST = /:\/\/(?:\|(?!\|)|[^\s<>"`|\\\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201d\u2026])+/uy;
const HOST_START = /[\p{L}\p{N}[]/u;

/** Bare http and https URLs become links whose text and target are the same characters. */
export function bareUrl(state: InlineState, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x3a || src.charCodeAt(pos + 1) !== 0x2f || state.linkLevel > 0) return false;
  if (state.env.linkify === false) return false;
  // Read from the source: the pending text is long and growing, and its end is these same letters.
  const scheme = /(?:^|[^a-z0-9+.-])(https?)$/i.exec(src.slice(Math.max(0, pos - 6), pos))?.[1];
  if (scheme === undefined) return false;
  URL_REST.lastIndex = pos;
  const rest = URL_REST.exec(src)?.[0];
  if (rest === undefined || !HOST_START.test(rest.slice(3, 5))) return false;
  const end = trimUrl(rest.slice(0, state.posMax - pos));
  if (end <= 3) return false;
  if (!silent) {
    const url = scheme + rest.slice(0, end);
    state.pending = state.pending.slice(0, -scheme.length);
    const open = state.push("link_open", "a", 1);
    open.attrs = [["href", url]];
    open.info = "auto";
    state.push("text", "", 0).content = url;
    state.push("link_close", "a", -1).info = "auto";
  }
  state.pos = pos + end;
  return true;
}

/** Length of a URL up to the first bracket that it does not open itself, without the sentence punctuation and emphasis marks after it. */
function trimUrl(url: string): number {
  let end = 0;
  let round = 0;
  let square = 0;
  let curly = 0;
  for (; end < url.length; end += 1) {
    const character = url[end];
    if (character === "(") round += 1;
    else if (character === "[") square += 1;
    else if (character === "{") curly += 1;
    else if (character === ")" && (round -= 1) < 0) break;
    else if (character === "]" && (square -= 1) < 0) break;
    else if (character === "}" && (curly -= 1) < 0) break;
  }
  while (end > 0 && ".,;:!?'*~|".includes(url[end - 1] ?? "")) end -= 1;
  return end;
}
