import type { TextPlace } from "@trunkline/plugin-sdk";

/** Characters of which one alone, or two, mean something; looked at one by one below. */
const MARKS = /[\\*_~|`<[]/g;
/** What only means something where a line begins: headings, subtext, quotes, lists. Indentation does not matter. */
const LINE_MARKS = /^([ \t]*)(?:(#{1,3}|-#|>>>|>|[-*])(?=\s|$)|(\d{1,10})(\.)(?=\s|$))/gm;
/** What comes after `<` in a mention of a person, role or channel, an emoji, a time, a command or a place of the server. */
const TOKEN = /^<(?:@[!&]?\d|#\d|a?:\w+:\d|t:-?\d|\/[^\s>:][^>:]*:\d|id:\w)/;

/**
 * Backslashes before whatever Discord would read as a mark, and before nothing else: a backslash that it does not need is as wrong as one that
 * is missing. A single `_` inside a word, a `*` between spaces, one `|` or `~` are text.
 * Source: the rules of Discord's renderer, as discord-markdown and simple-markdown have them.
 */
export function escapeText(text: string, place: TextPlace): string {
  const at = (index: number): string => (index < 0 ? place.before : index >= text.length ? place.after : (text[index] ?? ""));
  const escaped = text.replace(MARKS, (mark, index: number) => (isMark({ mark, index, text, place }, at) ? `\\${mark}` : mark));
  if (!place.lineStart && !escaped.includes("\n")) return escaped;
  return escaped.replace(LINE_MARKS, (whole, indent: string, mark: string | undefined, number: string | undefined, _dot, index: number) => {
    if (index === 0 && !place.lineStart) return whole;
    return number === undefined ? `${indent}\\${mark ?? ""}` : `${indent}${number}\\.`;
  });
}

interface Found {
  readonly mark: string;
  readonly index: number;
  readonly text: string;
  readonly place: TextPlace;
}

function isMark({ mark, index, text, place }: Found, at: (index: number) => string): boolean {
  const before = at(index - 1);
  const after = at(index + 1);
  switch (mark) {
    case "\\":
      // A backslash escapes everything but letters, digits and space; before those it is itself.
      return after !== "" && !/[0-9A-Za-z\s]/.test(after);
    case "*":
      return !isSpace(before) || !isSpace(after);
    case "_":
      return before === "_" || after === "_" || !isWord(before) || !isWord(after);
    case "~":
    case "|":
      return before === mark || after === mark;
    case "<":
      return TOKEN.test(text.slice(index, index + 80));
    case "[":
      // With a closing bracket and a parenthesis somewhere behind it, it would be a masked link that is not ours.
      return (text.slice(index, index + 1000) + place.ahead).includes("](");
    default:
      return true;
  }
}

function isSpace(character: string): boolean {
  return character === "" || /\s/.test(character);
}

/** Letters of other scripts are no word to the renderer. */
function isWord(character: string): boolean {
  return /[0-9A-Za-z]/.test(character);
}
