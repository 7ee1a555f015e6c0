/** White space, punctuation, invisible format characters and Markdown markers: what may surround a token without meaning anything. */
const INSIGNIFICANT = /^[\s\p{P}\p{Cf}`~|>^=+$]*$/u;
const HTML_WRAPPER = /<\/?[a-z][a-z0-9]{0,10}\s{0,8}\/?>/gi;

/** Scripts written without spaces, where a token may touch the word beside it. */
export const CJK = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}";

/** The source of a pattern for a token: its characters literally, with or without the backslash that Markdown puts before `_`. */
export function tokenSource(token: string): string {
  return token.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replaceAll("_", "\\\\?_");
}

/** Whether nothing in the text would be missed: it is empty, or only white space, punctuation, markers and HTML wrappers. */
export function isInsignificant(text: string): boolean {
  return INSIGNIFICANT.test(text.includes("<") ? text.replace(HTML_WRAPPER, "") : text);
}

/** Whether the text is the token, once or repeated, and nothing else that counts, in any case. False for an empty token. Linear. */
export function isTokenAlone(text: string, token: string): boolean {
  if (token.trim() === "") return false;
  const bare = text.replace(new RegExp(tokenSource(token.trim()), "giu"), "");
  return bare.length < text.length && isInsignificant(bare);
}

const OPENERS = /(?:[*_~`"'“‘«([<>]|<[a-z][a-z0-9]{0,10}>){1,8}$/i;
/** How far back a growing text is looked at for what stands before a token. Unit: UTF-16. */
const LOOK_BACK = 240;

/**
 * Where the beginning of a token that ends a growing text starts, with the markers that open around it, provided that
 * `counts` accepts what stands before (at most 240 units of it). The longest beginning wins.
 */
export function undecidedTokenStart(text: string, token: string, counts: (before: string) => boolean): number | undefined {
  const repeated = new RegExp(`(?:${tokenSource(token)}[\\s.,;!*"'\`]{0,4})+$`, "iu");
  const tail = text.slice(-2 * token.length).toLowerCase();
  for (const spelling of new Set([token, token.replaceAll("_", "\\_")])) {
    for (let length = Math.min(spelling.length, tail.length); length > 0; length -= 1) {
      if (!tail.endsWith(spelling.slice(0, length).toLowerCase())) continue;
      const at = text.length - length;
      const before = text.slice(Math.max(0, at - LOOK_BACK), at);
      const opened = OPENERS.exec(before)?.[0].length ?? 0;
      // A model that stutters spells the token behind itself.
      if (counts(before.slice(0, before.length - opened)) || (repeated.test(before) && counts(before.replace(repeated, ""))))
        return at - opened;
    }
  }
  return undefined;
}
