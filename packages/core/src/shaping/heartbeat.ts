import { codeAt, findCodeRegions, type CodeRegion } from "./code-regions.ts";
import { CJK, isInsignificant, tokenSource, undecidedTokenStart } from "./edge-token.ts";

/** What an agent answers to a heartbeat when all is well. */
export const HEARTBEAT_TOKEN = "HEARTBEAT_OK";

/** Longest remainder that still counts as an acknowledgement in a heartbeat run. Unit: code points. */
export const HEARTBEAT_ACK_MAX_CHARS = 300;

export interface HeartbeatStrip {
  /** The text without the token at its edges; every other byte as it was. */
  readonly text: string;
  readonly didStrip: boolean;
  /** Nothing worth sending is left. */
  readonly shouldSkip: boolean;
}

export interface HeartbeatStripOptions {
  /** `heartbeat` also skips a short remainder; `message` (the default) delivers any. */
  readonly mode?: "message" | "heartbeat";
  readonly maxAckChars?: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const TOKEN = tokenSource(HEARTBEAT_TOKEN);
const WORD = `(?![${CJK}])[\\p{L}\\p{N}_]`;
const WRAPPERS = `((?:[*_~\`"'(\\[]|<[a-z][a-z0-9]{0,10}>){0,8})`;
const CLOSERS = `((?:[*_~\`"')\\]]|<\\/[a-z][a-z0-9]{0,10}>){0,8})`;
const STOPS = "[.!?…:;,。！？]{0,8}";
const AT_START = new RegExp(`^[\\s\\p{Cf}]*${WRAPPERS}${TOKEN}(?!${WORD})(${STOPS})`, "iu");
const AT_END = new RegExp(`${WRAPPERS}(?<!${WORD})${TOKEN}(?!${WORD})(${STOPS})${CLOSERS}${STOPS}[\\s\\p{Cf}]{0,8}$`, "iu");
const ENDS_IN_WORD = new RegExp(`${WORD}$`, "u");
/** Longest stretch that AT_END can match, with room to look behind it. Unit: UTF-16. */
const END_WINDOW = 320;

/**
 * Takes the heartbeat token off the edges of a text, repeatedly and through Markdown or HTML wrappers and the punctuation
 * after it. In the middle of a text and in a fence it is a word like any other. Linear.
 */
export function stripHeartbeatToken(text: string, options: HeartbeatStripOptions = {}): HeartbeatStrip {
  const stripped = stripEdges(text);
  const didStrip = stripped !== text;
  const short = options.mode === "heartbeat" && didStrip && [...stripped.trim()].length <= (options.maxAckChars ?? HEARTBEAT_ACK_MAX_CHARS);
  const shouldSkip = stripped.trim() === "" || short;
  return { text: shouldSkip && didStrip ? "" : stripped, didStrip, shouldSkip };
}

/** Where a heartbeat token that a growing text may still be spelling out begins; undefined when its end cannot become one. */
export function undecidedHeartbeatStart(text: string): number | undefined {
  return undecidedTokenStart(text, HEARTBEAT_TOKEN, (before) => !ENDS_IN_WORD.test(before));
}

function stripEdges(text: string): string {
  if (!new RegExp(TOKEN, "iu").test(text)) return text;
  const bare = text.replace(new RegExp(TOKEN, "giu"), "");
  if (isInsignificant(bare)) return "";
  const regions = findCodeRegions(text);
  let kept: Span = { start: 0, end: text.length };
  let lead = "";
  for (let next = leadingToken(text, kept, regions); next !== undefined; next = leadingToken(text, kept, regions)) {
    lead += next.lead;
    kept = { start: next.start, end: kept.end };
  }
  let tail = "";
  for (let next = trailingToken(text, kept, regions); next !== undefined; next = trailingToken(text, kept, regions)) {
    tail = next.tail + tail;
    kept = { start: kept.start, end: next.end };
  }
  return lead + text.slice(kept.start, kept.end) + tail;
}

/** Where the text goes on after a token at its start, and an opening wrapper that closes only later and so has to stay. */
function leadingToken(
  text: string,
  kept: Span,
  regions: readonly CodeRegion[],
): { readonly start: number; readonly lead: string } | undefined {
  const match = AT_START.exec(text.slice(kept.start, kept.end));
  if (match === null || inBlock(regions, kept.start + match[0].length - 1)) return undefined;
  const open = match[1] ?? "";
  let start = kept.start + match[0].length;
  const wrapped = open !== "" && text.startsWith(mirrored(open), start);
  if (wrapped) start += mirrored(open).length;
  const after = /^(?:[.!?…:;,。！？]{0,8}[ \t]*(?:[-–—]+[ \t]+)?)?((?:[ \t]*\r?\n)*)/u.exec(text.slice(start, kept.end));
  return { start: start + (after?.[0].length ?? 0), lead: wrapped ? "" : open };
}

/** The mirror image of leadingToken for the end of the text. */
function trailingToken(
  text: string,
  kept: Span,
  regions: readonly CodeRegion[],
): { readonly end: number; readonly tail: string } | undefined {
  const visible = kept.start + text.slice(kept.start, kept.end).trimEnd().length;
  const from = Math.max(kept.start, visible - END_WINDOW);
  const match = AT_END.exec(text.slice(from, visible));
  if (match === null) return undefined;
  const [, open = "", , close = ""] = match;
  const tokenStart = from + match.index + open.length;
  if (inBlock(regions, tokenStart)) return undefined;
  const wrapped = close === mirrored(open);
  const end = wrapped || open === "" ? from + match.index : tokenStart;
  return { end: kept.start + text.slice(kept.start, end).trimEnd().length, tail: wrapped ? "" : close };
}

/** Inline code around the token is a wrapper; a fence or an indented block quotes it. */
function inBlock(regions: readonly CodeRegion[], offset: number): boolean {
  const region = codeAt(regions, offset);
  return region !== undefined && region.kind !== "span";
}

/** The closing counterpart of a run of opening wrappers: `**` for `**`, `</b>` for `<b>`, `)` for `(`. */
function mirrored(open: string): string {
  const pieces = open.match(/<[^>]*>|./gu) ?? [];
  return pieces
    .reverse()
    .map((piece) => (piece.startsWith("<") ? `</${piece.slice(1)}` : piece === "(" ? ")" : piece === "[" ? "]" : piece))
    .join("");
}
