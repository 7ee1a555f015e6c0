import type { HistoryEntry, OutboundPart } from "@trunkline/plugin-sdk";
import { inboundWire } from "./inbound.ts";
import type { OutboundWire, WireMedia, WireMessage } from "./wire.ts";

/** A part as the tabs show it. `at` in ms. */
export function outboundWire(part: OutboundPart, at: number): OutboundWire {
  const media = mediaWire(part);
  return {
    direction: "out",
    id: part.key,
    html: part.text?.text ?? "",
    plain: part.text?.plain ?? "",
    at,
    ...(part.turn === undefined ? {} : { turn: part.turn }),
    ...(part.replyToId === undefined ? {} : { replyTo: part.replyToId }),
    ...(media.length === 0 ? {} : { media }),
  };
}

/**
 * The history of a conversation and what was shown since, as one list without doubles, oldest first. `recent` is needed because a
 * receipt reaches the store a moment after the message reached the tabs. The newest messages that fit into `maxBytes` of JSON stay,
 * and the last one always.
 */
export function mergeHistory(history: readonly HistoryEntry[], recent: readonly WireMessage[], maxBytes: number): WireMessage[] {
  const merged = new Map<string, WireMessage>();
  for (const entry of history) {
    const message = entryWire(entry);
    if (message !== undefined) merged.set(message.id, message);
  }
  for (const message of recent) if (!merged.has(message.id)) merged.set(message.id, message);
  // Stable: messages of the same ms stay in the order in which the store has them.
  const all = [...merged.values()].toSorted((a, b) => a.at - b.at);
  let bytes = 0;
  const first = all.findLastIndex((message) => (bytes += sizeOf(message)) > maxBytes);
  return all.slice(Math.min(first + 1, all.length - 1));
}

function entryWire(entry: HistoryEntry): WireMessage | undefined {
  if (entry.direction === "in") return entry.inbound === undefined ? undefined : inboundWire(entry.inbound, entry.at);
  return entry.part === undefined ? undefined : outboundWire(entry.part, entry.at);
}

/** Files are named by part and place, never by path. */
function mediaWire(part: OutboundPart): WireMedia[] {
  return (part.media ?? []).map((medium, index) => ({
    url: `web/media/${part.key}/${index}`,
    kind: medium.kind,
    name: medium.fileName,
    mimeType: medium.mimeType,
  }));
}

/** UTF-16 units for bytes: exact for ASCII, and near enough for a bound. */
function sizeOf(message: WireMessage): number {
  return message.direction === "in" ? message.text.length : message.html.length + message.plain.length;
}
