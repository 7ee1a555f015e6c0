import type { ReplyPayload } from "@trunkline/plugin-sdk";
import { parseReplyDirectives, type ReplyDirectiveOptions } from "./directives.ts";
import { shouldSuppressReasoningPayload } from "./reasoning.ts";

type ChannelData = Readonly<Record<string, unknown>>;

/** A payload as a transport wants it: always a text ("" with media only), always a list. */
export interface NormalizedOutboundPayload {
  readonly text: string;
  readonly mediaUrls: readonly string[];
  readonly channelData?: ChannelData;
}

/** A payload as JSON for consumers that know one medium only. */
export interface OutboundPayloadJson {
  readonly text: string;
  /** The medium when there is exactly one, else null. */
  readonly mediaUrl: string | null;
  readonly mediaUrls?: readonly string[];
  readonly channelData?: ChannelData;
}

/** Longest text that goes into a log line. Unit: UTF-16. */
const LOG_TEXT_LIMIT = 2000;

/** One list of media targets out of several: trimmed, without blanks and repeats, in order. */
export function mergeMediaUrls(...lists: readonly (string | readonly (string | undefined)[] | undefined)[]): readonly string[] {
  const merged = new Set<string>();
  for (const url of lists.flat()) {
    const trimmed = url?.trim() ?? "";
    if (trimmed !== "") merged.add(trimmed);
  }
  return [...merged];
}

/** Whether a payload has anything to deliver: visible text, a medium, or channel data. */
export function isRenderablePayload(payload: ReplyPayload): boolean {
  if ((payload.text ?? "").trim() !== "" || payload.channelData !== undefined) return true;
  return mergeMediaUrls(payload.mediaUrls, payload.mediaUrl).length > 0;
}

/**
 * A payload whose text's directives became fields. Undefined when it asked for silence and carries nothing else.
 * A tag in the text wins over a reply target that the payload already had, unless that came from a tag too.
 */
export function applyReplyDirectives(payload: ReplyPayload, options: ReplyDirectiveOptions = {}): ReplyPayload | undefined {
  const parsed = parseReplyDirectives(payload.text ?? "", options);
  const media = mergeMediaUrls(payload.mediaUrls, payload.mediaUrl, parsed.mediaUrls);
  if (parsed.isSilent && media.length === 0 && !hasChannelData(payload)) return undefined;
  const tagged = payload.replyToTag === true ? payload.replyToId : undefined;
  const replyToId = tagged ?? parsed.replyToId ?? payload.replyToId;
  return {
    ...withMedia(payload, media),
    text: parsed.text,
    ...(replyToId === undefined ? {} : { replyToId }),
    replyToTag: payload.replyToTag === true || parsed.replyToTag,
    replyToCurrent: payload.replyToCurrent === true || parsed.replyToCurrent,
    audioAsVoice: payload.audioAsVoice === true || parsed.audioAsVoice,
  };
}

/** The payload with exactly these media: `mediaUrls` when there are any, `mediaUrl` when there is one. */
export function withMedia(payload: ReplyPayload, media: readonly string[]): ReplyPayload {
  const { mediaUrl: _one, mediaUrls: _all, ...rest } = payload;
  const [first] = media;
  if (first === undefined) return rest;
  return media.length === 1 ? { ...rest, mediaUrls: media, mediaUrl: first } : { ...rest, mediaUrls: media };
}

/** What is to be delivered of a turn's payloads: no reasoning, directives read, media merged, nothing silent or empty. Idempotent. */
export function normalizeReplyPayloadsForDelivery(
  payloads: readonly ReplyPayload[],
  options: ReplyDirectiveOptions = {},
): readonly ReplyPayload[] {
  return payloads.flatMap((payload) => {
    if (shouldSuppressReasoningPayload(payload)) return [];
    const normalized = applyReplyDirectives(payload, options);
    return normalized !== undefined && isRenderablePayload(normalized) ? [normalized] : [];
  });
}

/** The payloads in the form that is sent. Never an empty one. */
export function normalizeOutboundPayloads(
  payloads: readonly ReplyPayload[],
  options: ReplyDirectiveOptions = {},
): readonly NormalizedOutboundPayload[] {
  return normalizeReplyPayloadsForDelivery(payloads, options).flatMap((payload) => {
    const text = payload.text ?? "";
    const mediaUrls = mergeMediaUrls(payload.mediaUrls, payload.mediaUrl);
    if (text.trim() === "" && mediaUrls.length === 0 && !hasChannelData(payload)) return [];
    return [{ text, mediaUrls, ...channelDataOf(payload) }];
  });
}

/** The payloads as JSON for consumers that expect one `mediaUrl`. */
export function normalizeOutboundPayloadsForJson(
  payloads: readonly ReplyPayload[],
  options: ReplyDirectiveOptions = {},
): readonly OutboundPayloadJson[] {
  return normalizeOutboundPayloads(payloads, options).map(({ text, mediaUrls, channelData }) => ({
    text,
    mediaUrl: mediaUrls.length === 1 ? (mediaUrls[0] ?? null) : null,
    ...(mediaUrls.length === 0 ? {} : { mediaUrls }),
    ...(channelData === undefined ? {} : { channelData }),
  }));
}

/**
 * A payload as a log shows it: the text, then one `MEDIA:` line per medium. Control characters, line breaks among them, are
 * written as escapes, so that a reply can neither forge a log line nor drive a terminal; long texts are cut.
 */
export function formatOutboundPayloadLog(payload: { readonly text?: string; readonly mediaUrls?: readonly string[] }): string {
  const text = (payload.text ?? "").trimEnd();
  const cut = text.length > LOG_TEXT_LIMIT ? `${cutAt(text, LOG_TEXT_LIMIT)}… (${text.length} characters)` : text;
  const lines = (payload.mediaUrls ?? []).map((url) => `MEDIA:${escapeControls(cutAt(url, LOG_TEXT_LIMIT))}`);
  return (cut === "" ? lines : [escapeControls(cut), ...lines]).join("\n");
}

export function hasChannelData(payload: ReplyPayload): boolean {
  return payload.channelData !== undefined && Object.keys(payload.channelData).length > 0;
}

function channelDataOf(payload: ReplyPayload): { readonly channelData?: ChannelData } {
  return payload.channelData !== undefined && hasChannelData(payload) ? { channelData: payload.channelData } : {};
}

function cutAt(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "");
}

function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, (char) => {
    const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    return short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
