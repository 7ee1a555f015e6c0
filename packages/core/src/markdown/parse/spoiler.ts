import { isWordAt } from "./inline-rules.ts";
import type { Delimiter, InlineState } from "./tokens.ts";

const PIPE = 0x7c;

/**
 * `||text||`: the marks touch the text inside and no letter or digit outside, so that a logical or stays one. Marks are paired by the
 * parser together with emphasis, which keeps code spans whole and lets styles nest.
 */
export function spoilerMark(state: InlineState, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== PIPE) return false;
  let end = pos;
  while (end < posMax && src.charCodeAt(end) === PIPE) end += 1;
  if (silent) return false;
  // Four signs between two words of text end one spoiler and begin the next.
  if (end - pos === 4 && pos > 0 && end < posMax) {
    pushMark(state, pos, pos + 2);
    pushMark(state, pos + 2, end);
  } else pushMark(state, pos, end);
  state.pos = end;
  return true;
}

function pushMark(state: InlineState, pos: number, end: number): void {
  const { src, posMax } = state;
  const token = state.push("text", "", 0);
  token.content = src.slice(pos, end);
  if (end - pos !== 2) return;
  const before = pos > 0 && !isSpaceAt(src, pos - 1);
  const after = end < posMax && !isSpaceAt(src, end);
  const wordBefore = pos > 0 && isWordAt(src, pos - 1);
  const wordAfter = end < posMax && isWordAt(src, end);
  const delimiter = { marker: PIPE, length: 0, token: state.tokens.length - 1, end: -1 };
  state.delimiters.push({ ...delimiter, open: after && !wordBefore, close: before && !wordAfter });
}

function isSpaceAt(src: string, index: number): boolean {
  const code = src.charCodeAt(index);
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0xa0 || code === 0x3000;
}

/** Turns paired marks into spoiler_open and spoiler_close tokens. */
export function pairSpoilers(state: InlineState): void {
  pair(state, state.delimiters);
  for (const meta of state.tokens_meta) if (meta?.delimiters !== undefined) pair(state, meta.delimiters);
}

function pair(state: InlineState, delimiters: readonly Delimiter[]): void {
  for (const opener of delimiters) {
    if (opener.marker !== PIPE || opener.end < 0) continue;
    const closer = delimiters[opener.end];
    const open = state.tokens[opener.token];
    const close = closer === undefined ? undefined : state.tokens[closer.token];
    if (open === undefined || close === undefined) continue;
    open.type = "spoiler_open";
    open.nesting = 1;
    open.content = "";
    close.type = "spoiler_close";
    close.nesting = -1;
    close.content = "";
  }
}
