/**
 * Shortest repetition at a seam that counts, in characters that are not white space; a shorter one may be chance ("the", "No.").
 * A repetition of everything that was delivered counts whatever its length.
 */
export const LEAST_OVERLAP = 12;

/**
 * What a continuation adds to a text that people have already: the longest beginning of it that the delivered text ends with is taken
 * away, white space not counting. Without a repetition the continuation comes back as it is. Pure.
 */
export function withoutOverlap(delivered: string, continuation: string): string {
  const have = letters(delivered);
  const more = letters(continuation);
  const length = longestOverlap(have, more);
  return length >= LEAST_OVERLAP || (length > 0 && length === have.length) ? continuation.slice(endOf(continuation, length)) : continuation;
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
    if (have !== "" && letters(rest).startsWith(have)) rest = rest.slice(endOf(rest, have.length));
  }
  return rest === message ? message : rest.replace(/^\s*\n|^\s+$/, "");
}

function letters(text: string): string {
  return text.replace(/\s+/g, "");
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
