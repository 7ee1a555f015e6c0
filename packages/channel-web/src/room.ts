import type { Clock } from "@trunkline/plugin-sdk";
import { type ClientStream, createClientStream } from "./client-stream.ts";
import { createFeed, type Feed } from "./feed.ts";
import { createPace } from "./pace.ts";
import { frameEvent, type OutboundWire, type PreviewWire, type SnapshotWire, type WireMessage } from "./wire.ts";

/** Shortest time between two previews of a conversation. Unit: ms. */
const PREVIEW_MS = 50;
/** A tab that has this much waiting is not sent previews: it is behind anyway, and the final answer follows. Unit: bytes. */
const PREVIEW_ROOM = 256 * 1024;

/** One connected tab. */
export interface Client {
  /** Made by the page; a tab that reconnects takes its own old place. */
  readonly id: string;
  readonly stream: ClientStream;
  /** False until its first event was written: before, numbered messages reach it by that event. */
  live: boolean;
  acknowledged: number;
}

/** One conversation: its feed, its tabs, and the preview that grows in it. */
export interface Room {
  readonly feed: Feed;
  /** Tabs in the room. */
  readonly size: number;
  has(client: string): boolean;
  /** Adds a tab that is not live yet; one of the same id leaves. */
  join(id: string, onLeave: () => void): Client;
  /** Makes a tab live with what it missed. */
  resume(client: Client, missed: readonly Uint8Array[]): void;
  /** Makes a tab live with everything. */
  snapshot(client: Client, stored: Omit<SnapshotWire, "preview">): void;
  publish(message: WireMessage): void;
  preview(preview: PreviewWire): void;
  /** Sends a passing frame to every tab. */
  say(frame: Uint8Array): void;
  acknowledge(client: string, seq: number): void;
  close(): void;
}

/** Creates a room without tabs. */
export function createRoom(epoch: string, clock: Clock): Room {
  const feed = createFeed(epoch);
  const clients = new Map<string, Client>();
  let current: PreviewWire | null = null;
  const say = (frame: Uint8Array, room = Number.POSITIVE_INFINITY): void => {
    for (const client of clients.values()) if (client.live && client.stream.waiting < room) client.stream.write(frame);
  };
  const pace = createPace<PreviewWire>(clock, PREVIEW_MS, (preview) => say(frameEvent("preview", preview), PREVIEW_ROOM));
  const replacePreview = (message: OutboundWire): void => {
    if (current === null || message.turn !== current.turn) return;
    pace.cancel();
    current = null;
  };
  return {
    feed,
    get size() {
      return clients.size;
    },
    has: (id) => clients.has(id),
    join(id, onLeave) {
      clients.get(id)?.stream.end();
      const client: Client = { id, stream: createClientStream(leave), live: false, acknowledged: 0 };
      function leave(): void {
        if (clients.get(id) === client) clients.delete(id);
        onLeave();
      }
      clients.set(id, client);
      return client;
    },
    resume(client, missed) {
      // One write, so that it passes the tab's bound however much it is.
      client.stream.write(concatenate([frameEvent("resume", {}), ...missed]));
      if (current !== null && client.stream.waiting < PREVIEW_ROOM) client.stream.write(frameEvent("preview", current));
      client.live = true;
    },
    snapshot(client, stored) {
      client.stream.write(frameEvent("snapshot", { ...stored, preview: current }, feed.eventId(feed.seq)));
      client.live = true;
    },
    publish(message) {
      const frame = feed.append(message);
      if (message.direction === "out") replacePreview(message);
      if (frame !== undefined) say(frame);
    },
    preview(preview) {
      if (preview.html === "") {
        if (current?.turn !== preview.turn) return;
        current = null;
        pace.cancel();
        say(frameEvent("preview", preview));
      } else {
        current = preview;
        pace.push(preview);
      }
    },
    say: (frame) => say(frame),
    acknowledge(id, seq) {
      const client = clients.get(id);
      if (client === undefined) return;
      client.acknowledged = Math.max(client.acknowledged, seq);
      feed.forget(Math.min(...[...clients.values()].map((each) => each.acknowledged)));
    },
    close() {
      pace.cancel();
      for (const client of clients.values()) client.stream.end();
    },
  };
}

function concatenate(frames: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.byteLength, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.byteLength;
  }
  return whole;
}
