/** Shortest text that can be a part of another one by more than chance, in graphemes. */
export const LEAST_DUPLICATE = 10;

/** The same where a character is a word or a syllable. */
export const LEAST_DUPLICATE_CJK = 4;

const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
/** Emoji by any of their properties, and what joins or varies them: selector, joiner, keycap. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\uFE0F|\u200D|\u20E3/gu;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A text as it is compared: trimmed, in lower case, without emoji, white space collapsed. `" Hello 👋 WORLD 🌍 "` is `hello world`. */
export function normalizeTextForComparison(text: string): string {
  return text.trim().toLowerCase().replace(EMOJI, "").replace(/\s+/g, " ").trim();
}

/**
 * Whether a normalised text repeats one of those that were sent: both are long enough (10 graphemes, 4 where they are CJK) and one contains
 * the other.
 */
export function isMessagingToolDuplicateNormalized(normalized: string, sent: readonly string[]): boolean {
  if (!isLongEnough(normalized)) return false;
  return sent.some((one) => isLongEnough(one) && (normalized.includes(one) || one.includes(normalized)));
}

/** The same for texts as they were written. */
export function isMessagingToolDuplicate(text: string, sent: readonly string[]): boolean {
  return isMessagingToolDuplicateNormalized(normalizeTextForComparison(text), sent.map(normalizeTextForComparison));
}

/**
 * What of a reply people do not have yet, when these texts were sent to the same place before: `""` when one of them is the reply, or holds
 * it; the rest when the reply begins with one as whole paragraphs; else the whole reply, since nothing may be lost to a likeness. Pure.
 */
export function withoutSentTexts(text: string, sent: readonly string[]): string {
  let rest = text;
  // Two sends may be two paragraphs of one reply, in any order of sending.
  for (let pass = 0; pass <= sent.length && rest.trim() !== ""; pass += 1) {
    const next = withoutOne(rest, sent);
    if (next === rest) return rest;
    rest = next;
  }
  return rest;
}

function withoutOne(text: string, sent: readonly string[]): string {
  const normalized = compared(text);
  for (const one of sent) {
    if (one.trim() !== "" && one.trim() === text.trim()) return "";
    const have = compared(one);
    if (!isLongEnough(have) || !isLongEnough(normalized)) continue;
    if (have === normalized || have.includes(normalized)) return "";
    if (normalized.startsWith(have)) {
      const rest = behindParagraphs(text, have);
      if (rest !== undefined) return rest;
    }
  }
  return text;
}

/** As a text is compared, and without the marks of emphasis and code: bold words are the same words. */
function compared(text: string): string {
  return normalizeTextForComparison(text.replace(/[*_~`]+/g, ""));
}

/** The text behind its first paragraphs when these, normalised, are `have`. */
function behindParagraphs(text: string, have: string): string | undefined {
  for (const { index, 0: gap } of text.matchAll(/\n[ \t]*(?:\n[ \t]*)+/g)) {
    const before = compared(text.slice(0, index));
    if (before === have) return text.slice(index + gap.length);
    if (before.length > have.length) return undefined;
  }
  return undefined;
}

function isLongEnough(normalized: string): boolean {
  const least = CJK.test(normalized) ? LEAST_DUPLICATE_CJK : LEAST_DUPLICATE;
  if (normalized.length < least) return false;
  // A grapheme has at most a few units in writing that anybody means; a window of them bounds the count.
  let count = 0;
  for (const _ of segmenter.segment(normalized.slice(0, 200))) if ((count += 1) >= least) return true;
  return false;
}
