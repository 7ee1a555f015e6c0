import { codeAt, findCodeRegions } from "./code-regions.ts";
import { removeRanges, type TextRange } from "./removal.ts";

/** Text without its media directives, and the targets they named, in order. Targets are unchecked: URLs or paths as written. */
export interface MediaSplit {
  readonly text: string;
  readonly mediaUrls?: readonly string[];
  /** The first target. */
  readonly mediaUrl?: string;
}

const MEDIA_LINE = /^[ \t]*MEDIA:([^\n]*)/gm;
/** A name right behind the colon, as nobody writes a sentence: a file without an extension. */
const BARE_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.\-/\\]*[,;.]?\s*$/u;
// An unclosed tag names what is left of its line.
const MEDIA_TAG = /<\s{0,8}media_url\s{0,8}>(?:([^<]{0,8000})<\s{0,8}\/\s{0,8}media_url\s{0,8}>|([^<\n]{0,8000}))/gi;
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "<": ">" };
const WEB_URL = /^https?:\/\/[^\s/?#]+[^\s]*$/i;
/** A path that says by its beginning that it is one. */
const ROOTED = /^(?:\/|\.{1,2}[\\/]|~[\\/]|[a-z]:[\\/]|\\\\)[^\n]*[^\s\\/.]/i;
const HAS_EXTENSION = /[^\s\\/.]\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,8}$/i;
const KNOWN_EXTENSION =
  /\.(?:png|jpe?g|gif|webp|svg|bmp|heic|avif|tiff?|mp3|m4a|aac|flac|og[ga]|opus|wav|mp4|m4v|mov|webm|mkv|avi|pdf|txt|md|csv|tsv|json|ya?ml|xml|html?|zip|gz|tar|7z|docx?|xlsx?|pptx?|od[tsp]|epub|ics|vcf|log)$/i;

/**
 * Takes the media directives out of a reply: lines that begin with `MEDIA:` and `<MEDIA_URL>...</MEDIA_URL>`, each with http(s)
 * URLs or paths, bare, quoted or in backticks. A directive that names no target, and anything in code, stays text.
 */
export function splitMediaFromOutput(text: string): MediaSplit {
  const found = [...matches(text, MEDIA_LINE), ...matches(text, MEDIA_TAG)].sort((a, b) => a.start - b.start);
  if (found.length === 0) return { text };
  const regions = findCodeRegions(text);
  const ranges: TextRange[] = [];
  const targets = new Set<string>();
  let taken = 0;
  for (const { start, at, end, value } of found) {
    if (start < taken || codeAt(regions, at) !== undefined) continue;
    const named = targetsOf(value);
    if (named.length === 0) continue;
    for (const target of named) targets.add(target);
    ranges.push({ start, end });
    taken = end;
  }
  const mediaUrls = [...targets];
  const [mediaUrl] = mediaUrls;
  return { text: removeRanges(text, ranges), ...(mediaUrl === undefined ? {} : { mediaUrls, mediaUrl }) };
}

function targetsOf(value: string): readonly string[] {
  const named = parseTargets(value.trim());
  return named.length === 0 && BARE_NAME.test(value) ? [value.trim().replace(/[,;.]$/, "")] : named;
}

/**
 * The targets that a directive's value names; none when it is no target. White space separates targets only when every piece
 * is one, because an unquoted path may hold spaces.
 */
export function parseTargets(value: string): readonly string[] {
  const whole = value.trim();
  const unquoted = unquote(whole);
  if (unquoted !== undefined) {
    if (isTarget(unquoted)) return [toTarget(unquoted)];
    return unquoted.includes(" ") && unquoted.length > 2 ? splitTargets(unquoted) : [];
  }
  const pieces = splitTargets(whole);
  if (pieces.length > 0) return pieces;
  return isSpacedPath(whole) ? [toTarget(whole)] : [];
}

function splitTargets(value: string): readonly string[] {
  const targets: string[] = [];
  // A folder name before a space, as in `/tmp/my files/a.png`, is no target of its own.
  let openPath = false;
  for (const piece of value.match(/"[^"]*"|'[^']*'|`[^`]*`|\S+/g) ?? []) {
    const quoted = unquote(piece);
    const bare = quoted ?? piece.replace(/[,;.]$/, "");
    if (!isTarget(bare) || (openPath && quoted === undefined && !WEB_URL.test(bare) && !ROOTED.test(bare))) return [];
    openPath = quoted === undefined && !WEB_URL.test(bare) && !HAS_EXTENSION.test(bare);
    targets.push(toTarget(bare));
  }
  return targets;
}

function isTarget(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return WEB_URL.test(text) || /^file:\/\/./i.test(text);
  return ROOTED.test(text) || (HAS_EXTENSION.test(text) && !/^[a-z][a-z0-9+.-]+:/i.test(text) && isSpacedPath(text));
}

function isSpacedPath(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return false;
  // With spaces in it, prose is likelier than a path: it takes a known extension, or a path's beginning and any extension.
  return (/\s/.test(text) && !ROOTED.test(text) ? KNOWN_EXTENSION : HAS_EXTENSION).test(text);
}

function toTarget(text: string): string {
  return text.replace(/^file:\/\/(?:localhost(?=\/))?/i, "");
}

function unquote(text: string): string | undefined {
  const close = QUOTES[text.charAt(0)];
  if (close === undefined || text.length < 3 || !text.endsWith(close)) return undefined;
  const inner = text.slice(1, -1);
  return inner.includes(close) || inner.includes(text.charAt(0)) ? undefined : inner.trim();
}

function* matches(text: string, pattern: RegExp) {
  for (const match of text.matchAll(pattern)) {
    const [whole, value = match[2] ?? ""] = match;
    const start = match.index;
    yield { start, at: start + whole.search(/\S/), end: start + whole.length, value };
  }
}
