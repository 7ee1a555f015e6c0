/** A stretch of text to take out. Offsets are UTF-16, `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The text without the given ranges (sorted, not overlapping), leaving no scar:
 * - a range that fills its line takes the line with it;
 * - otherwise one neighbouring space goes, unless that would glue two words;
 * - blank lines that a removal leaves at the very start or end of the text go too.
 * Every other byte stays, indentation above all. Linear in the text.
 */
export function removeRanges(text: string, ranges: readonly TextRange[]): string {
  if (ranges.length === 0) return text;
  const kept = new Kept();
  const lastVisible = text.trimEnd().length;
  let at = 0;
  for (const range of ranges) {
    if (range.end <= at) continue;
    if (range.start > at) kept.add(text.slice(at, range.start));
    at = range.end;
    if (range.end >= lastVisible) {
      kept.dropTrailingSpace();
      at = text.length;
      break;
    }
    const newline = blankToNewline(text, at);
    if (kept.atLineStart && newline >= 0) {
      kept.dropIndent();
      at = kept.isEmpty ? skipBlankLines(text, newline + 1) : newline + 1;
      if (kept.isEmpty) kept.dropTrailingSpace();
    } else if (isSpace(text.charAt(at))) {
      if (kept.atLineStart || kept.endsInSpace) at += 1;
    } else if (kept.endsInSpace && !kept.atLineStart && /^[\p{P}\r\n]/u.test(text.slice(at, at + 2))) {
      kept.dropOneSpace();
    }
  }
  kept.add(text.slice(at));
  return kept.text();
}

/** The output so far: finished parts, then the white space up to the last newline, then the white space after it. */
class Kept {
  #parts: string[] = [];
  #gap: string[] = [];
  #tail = "";

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** True when the line that is being written has no visible character yet. */
  get atLineStart(): boolean {
    return this.#gap.length > 0 || this.#parts.length === 0;
  }

  get endsInSpace(): boolean {
    return this.#tail !== "";
  }

  add(piece: string): void {
    const visible = piece.trimEnd().length;
    if (visible > 0) {
      this.#parts.push(...this.#gap.splice(0), this.#tail, piece.slice(0, visible));
      this.#tail = "";
    }
    const space = piece.slice(visible);
    const newline = space.lastIndexOf("\n");
    if (newline >= 0) {
      this.#gap.push(this.#tail + space.slice(0, newline + 1));
      this.#tail = space.slice(newline + 1);
    } else {
      this.#tail += space;
    }
  }

  dropIndent(): void {
    this.#tail = "";
  }

  dropOneSpace(): void {
    this.#tail = this.#tail.slice(0, -1);
  }

  dropTrailingSpace(): void {
    this.#gap = [];
    this.#tail = "";
  }

  text(): string {
    return [...this.#parts, ...this.#gap, this.#tail].join("");
  }
}

function isSpace(char: string): boolean {
  return char === " " || char === "\t";
}

/** The offset of the newline when only blanks come before it, else -1. */
function blankToNewline(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charAt(at)) || text.charAt(at) === "\r") at += 1;
  return text.charAt(at) === "\n" ? at : -1;
}

function skipBlankLines(text: string, from: number): number {
  let at = from;
  for (let newline = blankToNewline(text, at); newline >= 0; newline = blankToNewline(text, at)) at = newline + 1;
  return at;
}
