/** Shortest repetition at a seam that counts, in characters that are not white space; a shorter one may be chance ("the", "No."). */
export const LEAST_OVERLAP = 10;

/** The same where a character is a word or a syllable. */
export const LEAST_OVERLAP_CJK = 4;

/**
 * What a continuation adds to a text that people have already: the longest beginning of it that the delivered text ends with is taken
 * away, white space not counting. A short one counts only when it is all that was delivered. Without a repetition the continuation comes
 * back as it is. Pure.
 */
export function withoutOverlap(delivered: string, continuation: string): string {
  const have = letters(delivered);
  const more = letters(continuation);
  const length = longestOverlap(have, more);
  if (length === 0 || (length < leastOverlap(more.slice(0, length)) && length < have.length)) return continuation;
  return cutBehind(continuation, length) ?? continuation;
}

/** A delivered text and what was said behind it, as one message. Pure. */
export function joinAtSeam(delivered: string, continuation: string): string {
  const added = withoutOverlap(delivered, continuation);
  if (added.trim() === "") return delivered;
  const exact = added.length < continuation.length || /\s$/.test(delivered) || /^\s/.test(added);
  if (exact) return delivered + added;
  return delivered + (/[\p{L}\p{N},]$/u.test(delivered) ? " " : "\n\n") + added;
}

/**
 * A whole message without those of its blocks that it begins with, white space not counting: what is still to be sent. A block that
 * stands nowhere at its beginning was something else than a part of it, and takes nothing away. Pure.
 */
export function withoutBlocks(message: string, blocks: readonly string[]): string {
  let rest = message;
  for (const block of blocks) {
    const have = letters(block);
    if (have !== "" && letters(rest).startsWith(have)) rest = cutBehind(rest, have.length) ?? rest;
  }
  return rest === message ? message : rest.replace(/^\s*\n|^\s+$/, "");
}

function leastOverlap(text: string): number {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text) ? LEAST_OVERLAP_CJK : LEAST_OVERLAP;
}

function letters(text: string): string {
  return text.replace(/\s+/g, "");
}

/** The text without its first `count` letters; undefined when that is little and ends within a word: "No" is no part of "Nothing". */
function cutBehind(text: string, count: number): string | undefined {
  const end = endOf(text, count);
  const withinWord = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]{2}/u.test(text.slice(end - 1, end + 1));
  return count < LEAST_OVERLAP && withinWord ? undefined : text.slice(end);
}

/** Where, in the text, its first `count` characters that are not white space end. */
function endOf(text: string, count: number): number {
  let left = count;
  for (let at = 0; at < text.length; at += 1) {
    if (left === 0) return at;
    if (!/\s/.test(text[at]!)) left -= 1;
  }
  return text.length;
}

/** Length of the longest end of `left` that `right` begins with, by the failure function of Knuth, Morris and Pratt: linear in both. */
function longestOverlap(left: string, right: string): number {
  const failure = [0];
  for (let at = 1, length = 0; at < right.length; at += 1) {
    while (length > 0 && right[at] !== right[length]) length = failure[length - 1]!;
    if (right[at] === right[length]) length += 1;
    failure.push(length);
  }
  let length = 0;
  // No further back than `right` is long: a whole match can then only be at the very end.
  for (let at = Math.max(0, left.length - right.length); at < left.length; at += 1) {
    while (length > 0 && left[at] !== right[length]) length = failure[length - 1]!;
    if (left[at] === right[length]) length += 1;
  }
  return right === "" ? 0 : length;
}
