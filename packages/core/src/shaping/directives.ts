import { codeAt, findCodeRegions } from "./code-regions.ts";
import { splitMediaFromOutput } from "./media.ts";
import { removeRanges, type TextRange } from "./removal.ts";
import { mayHoldControlText } from "./suspicion.ts";
import { removeSilentBlocks, SILENT_REPLY_TOKEN, stripSilentToken } from "./silent.ts";

/** The reply tags of a text. */
export interface InlineDirectives {
  readonly text: string;
  /** The message to quote: the last explicit id, else the current message when the text asked for it and it is known. */
  readonly replyToId?: string;
  /** The last id that the text itself named. */
  readonly replyToExplicitId?: string;
  readonly replyToCurrent: boolean;
  readonly audioAsVoice: boolean;
  readonly hasReplyTag: boolean;
  readonly hasAudioTag: boolean;
}

export interface InlineDirectiveOptions {
  readonly currentMessageId?: string;
  /** False leaves `[[audio_as_voice]]` in the text, though it counts. Default true. */
  readonly stripAudioTag?: boolean;
}

/** Everything that a reply says about its own delivery, and the text without it. */
export interface ReplyDirectives {
  readonly text: string;
  readonly mediaUrls?: readonly string[];
  /** The first of them. */
  readonly mediaUrl?: string;
  readonly replyToId?: string;
  readonly replyToCurrent: boolean;
  readonly replyToTag: boolean;
  readonly audioAsVoice: boolean;
  /** The text asked for silence; it is "" then, and media, if any, still goes out. */
  readonly isSilent: boolean;
}

export interface ReplyDirectiveOptions {
  readonly currentMessageId?: string;
  readonly silentToken?: string;
}

type Tag = { readonly kind: "current" | "audio" | "other" } | { readonly kind: "explicit"; readonly id: string };

const TAGS = /\[\[([^[\]\n]*)\]\]|<\s{0,8}(?:\/\s{0,8})?reply_to(\/|\s[^<>]*)?>/gi;
const PASSES = 8;

/**
 * Takes the reply tags out of a text: `[[reply_to_current]]`, `[[reply_to:ID]]`, `[[reply:ID]]`, `[[audio_as_voice]]`,
 * `<REPLY_TO current=true>` and `<REPLY_TO id="...">`, in any case and with inner spaces. Unknown tags and code stay.
 */
export function parseInlineDirectives(text: string, options: InlineDirectiveOptions = {}): InlineDirectives {
  const matches = [...text.matchAll(TAGS)];
  const regions = matches.length === 0 ? [] : findCodeRegions(text);
  const ranges: TextRange[] = [];
  let explicit: string | undefined;
  let replyToCurrent = false;
  let hasReplyTag = false;
  let hasAudioTag = false;
  for (const match of matches) {
    const tag = match[1] === undefined ? parseXmlTag(match[2] ?? "") : parseBracketTag(match[1]);
    if (tag === undefined || codeAt(regions, match.index) !== undefined) continue;
    if (tag.kind === "audio") hasAudioTag = true;
    else hasReplyTag = true;
    if (tag.kind === "current") replyToCurrent = true;
    if (tag.kind === "explicit") explicit = tag.id;
    if (tag.kind !== "audio" || options.stripAudioTag !== false) ranges.push({ start: match.index, end: match.index + match[0].length });
  }
  const replyToId = explicit ?? (replyToCurrent ? options.currentMessageId : undefined);
  return {
    text: removeRanges(text, ranges),
    ...(replyToId === undefined ? {} : { replyToId }),
    ...(explicit === undefined ? {} : { replyToExplicitId: explicit }),
    replyToCurrent,
    audioAsVoice: hasAudioTag,
    hasReplyTag,
    hasAudioTag,
  };
}

/**
 * Reads media, then reply tags, then silence out of a reply. Repeats while a removal joins its neighbours into a new
 * directive (a tag inside a tag), a bounded number of times; the egress guard breaks up what is left of hostile text.
 */
export function parseReplyDirectives(raw: string, options: ReplyDirectiveOptions = {}): ReplyDirectives {
  const current = options.currentMessageId;
  const media = new Set<string>();
  let text = raw;
  let explicit: string | undefined;
  let replyToCurrent = false;
  let replyToTag = false;
  let audioAsVoice = false;
  let silenced = false;
  const token = options.silentToken ?? SILENT_REPLY_TOKEN;
  for (let pass = 0; pass < PASSES && mayHoldControlText(text, [token]); pass += 1) {
    const split = splitMediaFromOutput(text);
    const tags = parseInlineDirectives(split.text);
    const blocks = removeSilentBlocks(tags.text);
    const silent = stripSilentToken(blocks.text, token);
    for (const target of split.mediaUrls ?? []) media.add(target);
    explicit = tags.replyToExplicitId ?? explicit;
    replyToCurrent ||= tags.replyToCurrent;
    replyToTag ||= tags.hasReplyTag;
    audioAsVoice ||= tags.audioAsVoice;
    silenced ||= blocks.found || silent.found;
    if (silent.text === text) break;
    text = silent.text;
  }
  const isSilent = silenced && text.trim() === "";
  const replyToId = explicit ?? (replyToCurrent ? current : undefined);
  const mediaUrls = [...media];
  const [mediaUrl] = mediaUrls;
  return {
    text: isSilent ? "" : text,
    ...(mediaUrl === undefined ? {} : { mediaUrls, mediaUrl }),
    ...(replyToId === undefined ? {} : { replyToId }),
    replyToCurrent,
    replyToTag,
    audioAsVoice,
    isSilent,
  };
}

function parseBracketTag(inner: string): Tag | undefined {
  const name = inner.trim().toLowerCase();
  if (name === "reply_to_current") return { kind: "current" };
  if (name === "audio_as_voice") return { kind: "audio" };
  const colon = inner.indexOf(":");
  if (colon < 0 || !/^\s*reply(?:_to)?\s*$/i.test(inner.slice(0, colon))) return undefined;
  return toReplyTag(inner.slice(colon + 1));
}

function parseXmlTag(attributes: string): Tag {
  const id = /\sid\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))/i.exec(attributes);
  if (id !== null) return toReplyTag(id[1] ?? id[2] ?? id[3] ?? "");
  return { kind: /\scurrent(?:\s{0,8}=\s{0,8}["']?(?:true|1|yes)\b|\s*\/?$)/i.test(attributes) ? "current" : "other" };
}

function toReplyTag(id: string): Tag {
  const trimmed = id.trim();
  return trimmed === "" ? { kind: "other" } : { kind: "explicit", id: trimmed };
}
