/** How many bytes the first `end` UTF-16 units of a text take in UTF-8: the real server words its offsets in bytes. */
export function byteOffset(text: string, end: number): number {
  return Buffer.byteLength(text.slice(0, end), "utf8");
}

/** Whether `offset` lies between the two halves of a surrogate pair. */
export function splitsPair(text: string, offset: number): boolean {
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

/** Whether a text holds half of a surrogate pair; such a text has no UTF-8 form. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
