import { codeAt, findCodeRegions, type CodeRegion } from "./code-regions.ts";
import { stripControlText } from "./control-text.ts";
import { decidedLength } from "./preview.ts";

/** Shortest and longest block of an answer that is sent while it grows. Units: UTF-16. */
export const BLOCK_MIN = 800;
export const BLOCK_MAX = 1200;

/** Where a text may be cut, from best to worst. */
const BREAKS = [/\n[ \t]*\n\s*/g, /\n/g, /[.!?。！？…]["'”’)\]*_]{0,4}\s+|[。！？]/g, /\s+/g];
/** A word that no model writes: where it would not be seen, the text before it has not come to an end. */
const PROBE = "\n\nxqzprobe";

/**
 * Where the next block of a growing answer ends; undefined while there is none. A paragraph's end is waited for until the text is too long
 * or rests (`idle`); then a line, a sentence, a word will do. Never inside code, and never where what is behind would be read differently
 * without what is before: inside a tag that hides, or in text that may still become one. Pure.
 */
export function nextBlockEnd(
  text: string,
  { idle, silentToken }: { readonly idle: boolean; readonly silentToken: string },
): number | undefined {
  if (text.length < BLOCK_MIN) return undefined;
  const decided = decidedLength(text, silentToken);
  const regions = findCodeRegions(text);
  const end = Math.min(decided, BLOCK_MAX);
  const kinds = idle || decided > BLOCK_MAX ? BREAKS : BREAKS.slice(0, 1);
  for (const kind of kinds) {
    const cut = lastBreak(text, kind, end, regions);
    if (cut !== undefined && isWhole(text.slice(0, cut), silentToken)) return cut;
  }
  // One fence that is longer than a block goes whole, once it is closed.
  const fence = codeAt(regions, BLOCK_MIN);
  if (fence?.kind !== "fence" || fence.end >= decided) return undefined;
  return isWhole(text.slice(0, fence.end), silentToken) ? fence.end : undefined;
}

function lastBreak(text: string, kind: RegExp, end: number, regions: readonly CodeRegion[]): number | undefined {
  let last: number | undefined;
  for (const { index, 0: found } of text.slice(0, end).matchAll(kind)) {
    const cut = index + found.length;
    if (cut >= BLOCK_MIN && codeAt(regions, cut - 1) === undefined && codeAt(regions, cut) === undefined) last = cut;
  }
  return last;
}

/** Whether what follows is read the same without this. */
function isWhole(before: string, silentToken: string): boolean {
  return stripControlText(before + PROBE, silentToken).text.endsWith(PROBE.trim());
}
