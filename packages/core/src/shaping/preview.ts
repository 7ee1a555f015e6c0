import { CONTROL_TAG_NAMES, stripControlText } from "./control-text.ts";
import { isInsignificant } from "./edge-token.ts";
import { undecidedHeartbeatStart } from "./heartbeat.ts";
import { mayBecomeJsonCall } from "./leaked-markup.ts";
import { undecidedSilentStart } from "./silent.ts";
import { undecidedSpecialToken } from "./special-tokens.ts";

export interface PreviewContext {
  readonly silentToken: string;
}

const ROUNDS = 4;
const UNFINISHED_NAME = /^<\s*(?:\/\s*)?[\w:-]{0,64}$/;
const UNFINISHED_KNOWN_TAG = new RegExp(`^<\\s*(?:\\/\\s*)?(?:[a-z][\\w-]{0,31}:)?(?:${CONTROL_TAG_NAMES})[\\s/=]`, "i");
const MEDIA_URL_TAG = /<\s{0,8}(\/?)\s{0,8}media_url\s{0,8}>/gi;
const BRACKET_TAGS = ["reply_to_current", "audio_as_voice", "reply_to", "reply"];

/**
 * What may be shown of an answer that is still growing: the text without control text and without an end that may yet
 * become some (the start of a silent token, `[[`, a tag, a `MEDIA:` line). What was held back appears once it turns out to be
 * text. "" when there is nothing to show. Never throws.
 */
export function previewText(accumulated: string, context: PreviewContext): string {
  let text = accumulated;
  // Removing a tag can put the beginning of another one at the end, hence the rounds.
  for (let round = 0; round < ROUNDS; round += 1) {
    const shown = stripControlText(text.slice(0, decidedLength(text, context.silentToken)), context.silentToken).text;
    if (shown === text) break;
    text = shown;
  }
  return isInsignificant(text) ? "" : text;
}

/** How much of a growing text is decided: what follows may still become control text. Unit: UTF-16. */
export function decidedLength(text: string, silentToken: string): number {
  const candidates = [
    undecidedLine(text),
    undecidedBracket(text),
    undecidedTag(text),
    undecidedMediaTag(text),
    undecidedCall(text),
    undecidedSpecialToken(text),
    undecidedSilentStart(text, silentToken),
    undecidedHeartbeatStart(text),
    text.length - (/`{1,64}$/.exec(text.slice(-64))?.[0].length ?? 0),
  ];
  return Math.min(text.length, ...candidates.filter((candidate) => candidate !== undefined));
}

/** A last line that may be a media directive, or a fence of which more may come that makes it inline code. */
function undecidedLine(text: string): number | undefined {
  const start = text.lastIndexOf("\n") + 1;
  const line = text.slice(start);
  const begun = line.trimStart();
  if (begun.startsWith("MEDIA:") || (begun !== "" && "MEDIA:".startsWith(begun))) return start;
  return /^[\s>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{2,}|~{2,})/.test(line) ? start : undefined;
}

function undecidedBracket(text: string): number | undefined {
  const start = text.lastIndexOf("[[");
  if (start >= 0) {
    const inner = text.slice(start + 2);
    const name = inner.trimStart().toLowerCase();
    const growing = BRACKET_TAGS.some((tag) => tag.startsWith(name.replace(/\]$/, "").trimEnd()));
    const naming = /^(?:reply_to|reply)\s*:[^[\]\n]*\]?$/.test(name);
    if (!inner.includes("\n") && (growing || naming)) return start;
  }
  return text.endsWith("[") ? text.length - 1 : undefined;
}

function undecidedTag(text: string): number | undefined {
  const start = text.lastIndexOf("<");
  if (start < 0 || text.includes(">", start)) return undefined;
  const tag = text.slice(start);
  return UNFINISHED_NAME.test(tag) || UNFINISHED_KNOWN_TAG.test(tag) ? start : undefined;
}

function undecidedMediaTag(text: string): number | undefined {
  const last = [...text.matchAll(MEDIA_URL_TAG)].at(-1);
  return last !== undefined && last[1] === "" ? last.index : undefined;
}

function undecidedCall(text: string): number | undefined {
  const start = text.lastIndexOf("{");
  return start >= 0 && mayBecomeJsonCall(text.slice(start)) ? start : undefined;
}
