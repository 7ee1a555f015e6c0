import type { BlockState, Footnotes, InlineState, ParseEnv } from "./tokens.ts";

const DEFINITION = /^\[\^([^\]\s]{1,80})\]:[ \t]*(.*)$/;
const REFERENCE = /\[\^([^\]\s]{1,80})\]/y;
const MAX_INLINE_NOTE = 2_000;

/** The footnotes of this parse, made on first use. */
export function footnotesOf(env: ParseEnv): Footnotes {
  env.footnotes ??= { definitions: new Map(), numbers: new Map(), sources: [] };
  return env.footnotes;
}

/**
 * `[^label]: text`, with the lines that follow it up to a blank one or the next definition; further paragraphs are indented, and lines of the
 * note. Produces nothing where it stands.
 */
export function footnoteDefinition(state: BlockState, startLine: number, endLine: number, silent: boolean): boolean {
  const begin = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (state.src.charCodeAt(begin) !== 0x5b || state.src.charCodeAt(begin + 1) !== 0x5e) return false;
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const match = DEFINITION.exec(state.src.slice(begin, state.eMarks[startLine]));
  if (match === null) return false;
  if (silent) return true;
  const lines = [match[2] ?? ""];
  let line = startLine + 1;
  const indentOf = (at: number): number => (state.sCount[at] ?? 0) - state.blkIndent;
  for (; line < endLine && indentOf(line) >= 0; line += 1) {
    if (state.isEmpty(line)) {
      if (line + 1 >= endLine || state.isEmpty(line + 1) || indentOf(line + 1) < 4) break;
      continue;
    }
    const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
    if (DEFINITION.test(text) || (indentOf(line) < 2 && /^([>#|`~-]|\d+[.)] )/.test(text))) break;
    lines.push(text);
  }
  const { definitions } = footnotesOf(state.env);
  const label = match[1] ?? "";
  if (!definitions.has(label)) definitions.set(label, lines.join("\n").trim());
  state.line = line;
  return true;
}

/** `[^label]`, when that label is defined anywhere. */
export function footnoteReference(state: InlineState, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x5b || src.charCodeAt(pos + 1) !== 0x5e) return false;
  const notes = state.env.footnotes;
  if (notes === undefined) return false;
  REFERENCE.lastIndex = pos;
  const label = REFERENCE.exec(src)?.[1];
  const source = label === undefined ? undefined : notes.definitions.get(label);
  if (label === undefined || source === undefined || REFERENCE.lastIndex > state.posMax) return false;
  const end = REFERENCE.lastIndex;
  if (!silent) pushReference(state, numberOf(notes, label, source));
  state.pos = end;
  return true;
}

/** `^[a note written in place]`, on one line and without brackets inside. */
export function inlineFootnote(state: InlineState, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x5e || src.charCodeAt(pos + 1) !== 0x5b) return false;
  const window = src.slice(pos + 2, Math.min(state.posMax, pos + 2 + MAX_INLINE_NOTE));
  const stop = /[[\]\n]/.exec(window);
  if (stop === null || stop[0] !== "]" || stop.index === 0) return false;
  if (!silent) {
    const notes = footnotesOf(state.env);
    pushReference(state, numberOf(notes, `^${notes.sources.length}`, window.slice(0, stop.index)));
  }
  state.pos = pos + 2 + stop.index + 1;
  return true;
}

function pushReference(state: InlineState, number: number): void {
  const token = state.push("footnote_ref", "", 0);
  token.content = `[${number}]`;
  token.meta = { number };
}

/** The number of a note, given in the order of first reference. */
export function numberOf(notes: Footnotes, key: string, source: string): number {
  const known = notes.numbers.get(key);
  if (known !== undefined) return known;
  notes.sources.push(source);
  notes.numbers.set(key, notes.sources.length);
  return notes.sources.length;
}
