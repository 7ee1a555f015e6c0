import type { HistoryEntry, OutboundPart } from "@trunkline/plugin-sdk";
import { buttonsWire } from "./buttons.ts";
import { inboundWire, mediaUrl } from "./inbound.ts";
import type { OutboundWire, WireMedia, WireMessage } from "./wire.ts";

/** Messages that a new tab is shown. */
export const SNAPSHOT = 100;
/** Older messages that a tab gets at a time. */
export const PAGE = 50;

/** A part as the tabs show it. `at` in ms. */
export function outboundWire(part: OutboundPart, at: number): OutboundWire {
  const media = mediaWire(part);
  const buttons = buttonsWire(part);
  return {
    direction: "out",
    id: part.key,
    html: part.text?.text ?? "",
    plain: part.text?.plain ?? "",
    at,
    ...(part.turn === undefined ? {} : { turn: part.turn }),
    ...(part.replyToId === undefined ? {} : { replyTo: part.replyToId }),
    ...(media.length === 0 ? {} : { media }),
    ...(buttons.length === 0 ? {} : { buttons }),
  };
}

/**
 * The history of a conversation with what was shown since, without doubles, oldest first. `recent` is in the order in which it was
 * shown, and is needed because a receipt reaches the store a moment after the message reached the tabs. At most `SNAPSHOT` messages, the
 * newest, and of those the newest that fit into `maxBytes`; the last one always.
 */
export function mergeHistory(history: readonly HistoryEntry[], recent: readonly WireMessage[], maxBytes: number): WireMessage[] {
  const merged = history.map(entryWire).filter((message) => message !== undefined);
  const start = merged[0]?.at ?? 0;
  const known = (message: WireMessage): number => merged.findIndex(({ id }) => id === message.id);
  // Each goes behind the one that was shown before it; those before the first that the history knows, right before that one.
  const first = recent.map(known).find((index) => index >= 0) ?? merged.length;
  let place = first;
  for (const message of recent) {
    const index = known(message);
    if (index >= 0) place = index + 1;
    // Older than the history reaches: it belongs to what is no longer shown.
    else if (message.at >= start) merged.splice(place++, 0, message);
  }
  const newest = merged.slice(-SNAPSHOT);
  let bytes = 0;
  const tooMuch = newest.findLastIndex((message) => (bytes += sizeOf(message)) > maxBytes);
  return newest.slice(Math.min(tooMuch + 1, newest.length - 1));
}

/** A stored message as the tabs show it; undefined when its words are not kept. */
export function entryWire(entry: HistoryEntry): WireMessage | undefined {
  if (entry.direction === "in") return entry.inbound === undefined ? undefined : inboundWire(entry.inbound, entry.at);
  return entry.part === undefined ? undefined : outboundWire(entry.part, entry.at);
}

/** Files are named by part and place, never by path. */
function mediaWire(part: OutboundPart): WireMedia[] {
  return (part.media ?? []).map((medium, index) => ({
    url: mediaUrl(part.key, index, part.conversation),
    kind: medium.kind,
    name: medium.fileName,
    mimeType: medium.mimeType,
  }));
}

/** UTF-16 units for bytes: exact for ASCII, and near enough for a bound. */
function sizeOf(message: WireMessage): number {
  return message.direction === "in" ? message.text.length : message.html.length + message.plain.length;
}
