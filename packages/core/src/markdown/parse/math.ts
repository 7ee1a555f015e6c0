import { isWordAt } from "./inline-rules.ts";
import type { BlockState, InlineState } from "./tokens.ts";

const DOLLAR = 0x24;
/** A closing `$$` is looked for in so many lines, which bounds the work for text full of unclosed ones. */
const MAX_MATH_LINES = 64;
const PRICE_LIKE = /^\d[^\\^_={}<>+*/]*[ ,]/;

/**
 * `$x$` and `$$x$$` within a line. Prices are not math: no space inside the marks, no word outside them, and what starts with a
 * digit must contain an operator.
 */
export function inlineMath(state: InlineState, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== DOLLAR) return false;
  const width = src.charCodeAt(pos + 1) === DOLLAR ? 2 : 1;
  const start = pos + width;
  if (pos > 0 && (isWordAt(src, pos - 1) || src.charCodeAt(pos - 1) === DOLLAR)) return skip(state, width, silent);
  const end = src.indexOf(width === 2 ? "$$" : "$", start);
  if (end <= start || end + width > posMax) return skip(state, width, silent);
  const content = src.slice(start, end);
  const after = end + width;
  const glued = after < posMax && (isWordAt(src, after) || src.charCodeAt(after) === DOLLAR);
  if (glued || content.includes("\n") || content !== content.trim() || PRICE_LIKE.test(content)) {
    return skip(state, width, silent);
  }
  if (!silent) {
    const token = state.push("math_inline", "", 0);
    token.content = content;
  }
  state.pos = after;
  return true;
}

/** Literal dollars, taken as one so that `$$` is not read again as `$` and `$`. */
function skip(state: InlineState, width: number, silent: boolean): boolean {
  if (!silent) state.pending += "$".repeat(width);
  state.pos += width;
  return true;
}

/** A block between two lines of `$$`, or `$$ … $$` on one line. Unclosed, it is text. */
export function blockMath(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  const first = lineAt(state, startLine);
  if (!first.startsWith("$$") || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  if (first.length > 4 && first.endsWith("$$")) {
    const content = first.slice(2, -2);
    return content.includes("$$") ? false : emit(state, silent, startLine, startLine + 1, content);
  }
  const last = Math.min(endLine, startLine + MAX_MATH_LINES);
  const lines = [first.slice(2)];
  for (let line = startLine + 1; line < last; line += 1) {
    if ((state.sCount[line] ?? 0) < state.blkIndent && !state.isEmpty(line)) return false;
    const text = lineAt(state, line);
    if (text.endsWith("$$")) return emit(state, silent, startLine, line + 1, [...lines, text.slice(0, -2)].join("\n"));
    lines.push(text);
  }
  return false;
}

function emit(state: BlockState, silent: boolean, start: number, end: number, source: string): boolean {
  const content = source.replace(/^\n+|\s+$/g, "");
  if (content.trim() === "") return false;
  if (silent) return true;
  const token = state.push("math_block", "", 0);
  token.content = content;
  token.map = [start, end];
  state.line = end;
  return true;
}

function lineAt(state: BlockState, line: number): string {
  const begin = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return state.src.slice(begin, state.eMarks[line]).trimEnd();
}
