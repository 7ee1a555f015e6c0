import { codeAt, findCodeRegions, type CodeRegion } from "./code-regions.ts";
import { removeRanges, type TextRange } from "./removal.ts";

/**
 * A family of tags that wrap text which nobody may see.
 * `pattern` is global and its groups are: 1 the slash of a closing tag, 2 the name, 3 everything up to `>`.
 */
export interface TagFamily {
  readonly pattern: RegExp;
  /** Whether a tag without its `>`, at the end of the text, is one that broke off; absent: always. */
  readonly mayBreakOff?: (tag: string) => boolean;
  /** Two names with one key close each other. */
  key(name: string): string;
  /** A closing tag at the beginning of a line, without an opening one, ends a block that began with the text. */
  readonly opensImplicitly: boolean;
}

interface Tag extends TextRange {
  readonly key: string;
  readonly closes: boolean;
  readonly selfClosing: boolean;
}

/**
 * How often code is looked for anew after a block was removed that cut a fence in two. Beyond it only hostile text gets,
 * and there hiding comes before quoting: the rest is treated as if it had no code.
 */
const RESCANS = 8;

/** The text without the blocks of a family, an unclosed one to the end of the text. Code is left alone. Linear. */
export function removeTagBlocks(text: string, family: TagFamily): string {
  let current = text;
  for (let scan = 0; ; scan += 1) {
    const tags = findTags(current, family);
    if (tags.length === 0) return current;
    const regions = scan < RESCANS ? findCodeRegions(current) : [];
    const { ranges, again } = hiddenRanges(current, tags, regions, family);
    if (ranges.length === 0) return current;
    current = removeRanges(current, ranges);
    if (!again) return current;
  }
}

function hiddenRanges(text: string, tags: readonly Tag[], regions: readonly CodeRegion[], family: TagFamily) {
  let ranges: TextRange[] = [];
  const lastVisible = text.trimEnd().length;
  for (let index = 0; index < tags.length; index += 1) {
    const tag = tags[index];
    if (tag === undefined || codeAt(regions, tag.start) !== undefined) continue;
    if (tag.closes && family.opensImplicitly && beginsLine(text, tag) && tag.end < lastVisible) {
      ranges = [{ start: 0, end: tag.end }];
    } else if (tag.closes || tag.selfClosing) {
      ranges.push(tag);
    } else {
      const closing = findClosing(text, tags, index);
      const end = tags[closing]?.end ?? text.length;
      ranges.push({ start: tag.start, end });
      index = closing < 0 ? tags.length : closing;
      // A fence that began inside the block hides what follows it; without the block the code has to be found again.
      if (end < text.length && straddles(regions, tag.start, end)) return { ranges, again: true };
    }
  }
  return { ranges, again: false };
}

/** Index of the tag that closes the one at `from`; the last closing one when they do not balance; -1 when there is none. */
function findClosing(text: string, tags: readonly Tag[], from: number): number {
  const key = tags[from]?.key;
  let depth = 0;
  let last = -1;
  for (let index = from; index < tags.length; index += 1) {
    const tag = tags[index];
    if (tag === undefined || tag.key !== key || tag.selfClosing || (index > from && isQuoted(text, tag))) continue;
    depth += tag.closes ? -1 : 1;
    if (tag.closes) last = index;
    if (depth === 0) return index;
  }
  return last;
}

/** Reasoning talks about its own tags in backticks; a fence inside it, on the other hand, is often never closed. */
function isQuoted(text: string, tag: Tag): boolean {
  return text.charAt(tag.start - 1) === "`" && text.charAt(tag.end) === "`";
}

function straddles(regions: readonly CodeRegion[], start: number, end: number): boolean {
  const last = codeAt(regions, end - 1);
  const next = codeAt(regions, end);
  return (last !== undefined && (last.end > end || last.start < start)) || (next !== undefined && next.start < end);
}

/** Whether a tag begins its line. Looks at a window, so that many tags on one endless line cost no more than few. */
function beginsLine(text: string, tag: Tag): boolean {
  return /\n[ \t]*$/.test(text.slice(Math.max(0, tag.start - 64), tag.start));
}

function findTags(text: string, family: TagFamily): readonly Tag[] {
  const tags: Tag[] = [];
  for (const match of text.matchAll(family.pattern)) {
    const [whole, slash, name = "", rest = ""] = match;
    if (!whole.endsWith(">") && family.mayBreakOff?.(whole) === false) continue;
    tags.push({
      start: match.index,
      end: match.index + whole.length,
      key: family.key(name.toLowerCase()),
      closes: slash !== undefined && slash !== "",
      selfClosing: rest.endsWith("/"),
    });
  }
  return tags;
}
