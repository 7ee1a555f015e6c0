/** One stretch of code in Markdown text, fence lines and backticks included. Offsets are UTF-16, `end` is exclusive. */
export interface CodeRegion {
  readonly start: number;
  readonly end: number;
  readonly kind: "fence" | "indented" | "span";
}

interface OpenFence {
  readonly marker: string;
  readonly length: number;
  readonly quoted: boolean;
  readonly start: number;
}

const FENCE_LINE = /^((?:[ \t]*>)*)([ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/;
const LIST_LINE = /^[ \t]{0,12}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const BLOCK_LINE = /^[ \t]{0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\|)/;
const INDENTED_LINE = /^(?: {4}| {0,3}\t)/;

/**
 * Where the code of a Markdown text is: fences (an unclosed one runs to the end), indented blocks and inline spans.
 * Everything that parses model output asks here first, because text inside code is quoted, not meant.
 * Follows CommonMark 0.31 sections 4.4, 4.5 and 6.1, with lists simplified: inside a list nothing is an indented block.
 * Linear in the text; regions are sorted and never overlap.
 */
export function findCodeRegions(text: string): readonly CodeRegion[] {
  const regions: CodeRegion[] = [];
  let fence: OpenFence | undefined;
  let paragraphStart = -1;
  let afterBlank = true;
  let inList = false;
  const endParagraph = (end: number) => {
    if (paragraphStart >= 0) addSpans(text, paragraphStart, end, regions);
    paragraphStart = -1;
  };

  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, newline < 0 ? end : newline).replace(/\r$/, "");
    if (fence !== undefined) {
      if (fence.quoted && !/^[ \t]*>/.test(line)) {
        regions.push({ start: fence.start, end: start, kind: "fence" });
        fence = undefined;
        continue;
      }
      if (closesFence(line, fence)) {
        regions.push({ start: fence.start, end, kind: "fence" });
        fence = undefined;
        afterBlank = true;
      }
      start = end;
      continue;
    }
    const blank = line.trim() === "";
    fence = openFence(line, start, inList || !afterBlank);
    if (fence !== undefined || blank) {
      endParagraph(start);
      afterBlank = blank;
    } else if (afterBlank && !inList && INDENTED_LINE.test(line)) {
      endParagraph(start);
      regions.push({ start, end, kind: "indented" });
    } else {
      if (BLOCK_LINE.test(line)) endParagraph(start);
      if (LIST_LINE.test(line)) inList = true;
      else if (afterBlank && !/^[ \t]/.test(line)) inList = false;
      if (paragraphStart < 0) paragraphStart = start;
      afterBlank = false;
    }
    start = end;
  }
  endParagraph(text.length);
  if (fence !== undefined) regions.push({ start: fence.start, end: text.length, kind: "fence" });
  return regions;
}

/** The region that covers an offset, if any. Logarithmic. */
export function codeAt(regions: readonly CodeRegion[], offset: number): CodeRegion | undefined {
  let low = 0;
  let high = regions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const region = regions[middle];
    if (region === undefined) return undefined;
    if (offset < region.start) high = middle - 1;
    else if (offset >= region.end) low = middle + 1;
    else return region;
  }
  return undefined;
}

function openFence(line: string, start: number, anyIndent: boolean): OpenFence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined;
  const match = FENCE_LINE.exec(line);
  const [, quote = "", indent = "", marker = "", info = ""] = match ?? [];
  if (match === null || (!anyIndent && INDENTED_LINE.test(indent))) return undefined;
  const char = marker.charAt(0);
  // A backtick in the info string makes it an inline span: ```like this```.
  if (char === "`" && info.includes("`")) return undefined;
  return { marker: char, length: marker.length, quoted: quote !== "", start };
}

function closesFence(line: string, fence: OpenFence): boolean {
  const bare = (fence.quoted ? line.replace(/^(?:[ \t]*>)*/, "") : line).trim();
  if (bare.length < fence.length) return false;
  for (const char of bare) if (char !== fence.marker) return false;
  return true;
}

/** Pairs backtick runs of equal length inside one paragraph; a run without a partner is plain text. */
function addSpans(text: string, from: number, to: number, regions: CodeRegion[]): void {
  const runs: { readonly start: number; readonly end: number }[] = [];
  for (let at = text.indexOf("`", from); at >= 0 && at < to; at = text.indexOf("`", at)) {
    let end = at + 1;
    while (end < to && text.charCodeAt(end) === 96) end += 1;
    runs.push({ start: at, end });
    at = end;
  }
  // The next run of the same length, found backwards so that the whole search stays linear.
  const partner = Array.from({ length: runs.length }, () => -1);
  const nextOfLength = new Map<number, number>();
  const openLength = (run: { readonly start: number; readonly end: number }) =>
    run.end - run.start - (isEscaped(text, run.start, from) ? 1 : 0);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const run = runs[index];
    if (run === undefined) continue;
    partner[index] = nextOfLength.get(openLength(run)) ?? -1;
    nextOfLength.set(run.end - run.start, index);
  }
  for (let index = 0; index < runs.length; index += 1) {
    const opener = runs[index];
    const closer = runs[partner[index] ?? -1];
    if (opener === undefined || closer === undefined) continue;
    regions.push({ start: opener.end - openLength(opener), end: closer.end, kind: "span" });
    index = partner[index] ?? index;
  }
}

function isEscaped(text: string, offset: number, from: number): boolean {
  let slashes = 0;
  while (offset - slashes > from && text.charCodeAt(offset - slashes - 1) === 92) slashes += 1;
  return slashes % 2 === 1;
}
