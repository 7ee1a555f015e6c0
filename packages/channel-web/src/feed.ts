import { frameEvent, type WireMessage } from "./wire.ts";

/** What a feed keeps for tabs that come back: this many messages, and this many bytes of them. */
const KEEP = 256;
const KEEP_BYTES = 768 * 1024;
/** Acknowledged messages that stay all the same: their receipts may still be on the way to the store, and a new tab needs them. */
const KEEP_ACKNOWLEDGED = 16;

interface Entry {
  readonly seq: number;
  readonly message: WireMessage;
  readonly frame: Uint8Array;
}

/**
 * The numbered messages of one conversation. A number means something only within its epoch: whoever comes with another epoch (the
 * gateway was restarted, or the feed was forgotten) gets a snapshot.
 */
export interface Feed {
  readonly epoch: string;
  /** Number of the newest message; 0 when there was none. */
  readonly seq: number;
  /** Numbers and keeps a message; gives its frame, or undefined when it was here before. */
  append(message: WireMessage): Uint8Array | undefined;
  /** Frames after the event with this id, oldest first; undefined when the feed cannot tell all of them. */
  since(lastEventId: string | null): readonly Uint8Array[] | undefined;
  /** Messages that are kept, oldest first. */
  recent(): readonly WireMessage[];
  /** Forgets what every tab has acknowledged. */
  forget(upTo: number): void;
  /** The event id of a number: `<epoch>:<seq>`. */
  eventId(seq: number): string;
}

/** Creates an empty feed. `epoch` must be new every time: letters and digits. */
export function createFeed(epoch: string): Feed {
  let entries: Entry[] = [];
  let bytes = 0;
  let seq = 0;
  const eventId = (number: number): string => `${epoch}:${number}`;
  const drop = (count: number): void => {
    for (const { frame } of entries.slice(0, count)) bytes -= frame.byteLength;
    entries = entries.slice(count);
  };
  return {
    epoch,
    get seq() {
      return seq;
    },
    eventId,
    append(message) {
      if (entries.some((entry) => entry.message.id === message.id && entry.message.direction === message.direction)) return undefined;
      seq += 1;
      const frame = message.direction === "in" ? frameEvent("echo", message, eventId(seq)) : frameEvent("message", message, eventId(seq));
      entries.push({ seq, message, frame });
      bytes += frame.byteLength;
      while (entries.length > KEEP || (bytes > KEEP_BYTES && entries.length > 1)) drop(1);
      return frame;
    },
    since(lastEventId) {
      const match = /^(\w+):(\d{1,15})$/.exec(lastEventId ?? "");
      if (match === null || match[1] !== epoch) return undefined;
      const last = Number(match[2]);
      const oldest = seq - entries.length + 1;
      if (last > seq || last + 1 < oldest) return undefined;
      return entries.filter((entry) => entry.seq > last).map((entry) => entry.frame);
    },
    recent: () => entries.map((entry) => entry.message),
    forget(upTo) {
      const known = entries.filter((entry) => entry.seq <= upTo).length;
      drop(Math.min(known, Math.max(0, entries.length - KEEP_ACKNOWLEDGED)));
    },
  };
}
