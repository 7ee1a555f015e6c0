const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
// The parser gives up on a numeric reference that is longer than this, "&#" and digits together.
const MAX_NUMERIC_LENGTH = 10;

/** A decoded character reference and the offset behind it. */
export interface Reference {
  readonly text: string;
  readonly end: number;
}

/**
 * Decodes the character reference at `at`, or returns undefined where the server keeps the "&" as it is.
 * Only four names are known; the closing semicolon may be missing. Source: td MessageEntity.cpp, `decode_html_entity`.
 */
export function decodeReference(source: string, at: number): Reference | undefined {
  const rest = source.slice(at, at + 40);
  const numeric = /^&#(?:x([0-9a-f]*)|(\d*))/i.exec(rest);
  if (numeric !== null && numeric[0].length < MAX_NUMERIC_LENGTH) {
    const code = numeric[1] === undefined ? Number.parseInt(numeric[2] ?? "", 10) : Number.parseInt(numeric[1], 16);
    if (!(code > 0 && code < 0x10_ffff)) return undefined;
    return withSemicolon(source, at + numeric[0].length, String.fromCodePoint(code));
  }
  const named = /^&([a-z]+)/i.exec(rest);
  const character = named === null ? undefined : NAMED[named[1] ?? ""];
  return named === null || character === undefined ? undefined : withSemicolon(source, at + named[0].length, character);
}

function withSemicolon(source: string, end: number, text: string): Reference {
  return { text, end: source.charAt(end) === ";" ? end + 1 : end };
}
