import { randomBytes } from "node:crypto";
import type { Clock, ConversationRef, HistoryEntry } from "@trunkline/plugin-sdk";
import { mergeHistory, SNAPSHOT } from "./outbound.ts";
import { type Client, createRoom, type Room } from "./room.ts";
import { frameEvent, HEARTBEAT, type MarksWire, type PreviewWire, type WireMessage } from "./wire.ts";

/** Tabs that one account serves at once. */
export const MAX_CLIENTS = 64;
/** Conversations without a tab that are remembered, so that one that comes back resumes instead of starting afresh. */
const IDLE_ROOMS = 64;
const HEARTBEAT_MS = 15_000;
/** Most text of a snapshot; the last message is there however long it is. */
const SNAPSHOT_BYTES = 512 * 1024;

export interface ConnectOptions {
  /** Id of the tab, made by the page. */
  readonly client: string;
  readonly lastEventId: string | null;
  /** Reads the newest `SNAPSHOT` messages of the conversation; asked only when a snapshot is needed. */
  readonly read: () => Promise<StoredConversation>;
}

/** What the store has for a snapshot. */
export interface StoredConversation {
  readonly history: readonly HistoryEntry[];
  readonly marks: MarksWire;
}

/** Name of a conversation's room: the visitor's id, and behind a slash the name of a further conversation. */
export function roomName({ id, threadId }: Pick<ConversationRef, "id" | "threadId">): string {
  return threadId === undefined ? id : `${id}/${threadId}`;
}

/** The connected tabs of one account, by the room of their conversation. Nothing here is durable: what nobody saw is in the store. */
export interface Hub {
  /** Opens a tab's event stream; undefined when too many are open. Rejects, and leaves no tab behind, when the history cannot be read. */
  connect(conversation: string, options: ConnectOptions): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Shows a message in all tabs of a conversation, once. */
  publish(conversation: string, message: WireMessage): void;
  typing(conversation: string): void;
  preview(conversation: string, preview: PreviewWire): void;
  /** Sends a passing frame to all tabs of a conversation. */
  say(conversation: string, frame: Uint8Array): void;
  /** Sends a passing frame to all tabs of a visitor, whatever conversation they show, but for those in the room `except`. */
  tell(visitor: string, frame: Uint8Array, except?: string): void;
  /** A tab has shown everything up to this number. */
  acknowledge(conversation: string, client: string, seq: number): void;
  /** Ends all streams. */
  close(): void;
}

/** Creates a hub. The heartbeat starts with the first tab and ends with `close`. */
export function createHub(clock: Clock): Hub {
  const rooms = new Map<string, Room>();
  const clients = new Set<Client>();
  let stopHeartbeat: (() => void) | undefined;
  let closed = false;

  const roomOf = (conversation: string): Room => {
    const room = rooms.get(conversation) ?? createRoom(randomBytes(8).toString("hex"), clock);
    // Deleting first keeps the map in order of use.
    rooms.delete(conversation);
    rooms.set(conversation, room);
    forgetIdle(rooms, room);
    return room;
  };
  const beat = (): void => {
    for (const client of clients) client.stream.write(HEARTBEAT);
    stopHeartbeat = clock.timer(HEARTBEAT_MS, beat);
  };
  return {
    async connect(conversation, { client: id, lastEventId, read }) {
      const room = roomOf(conversation);
      // A tab that comes back takes its own old place; another one needs a free one.
      if (closed || (clients.size >= MAX_CLIENTS && !room.has(id))) return undefined;
      const client = room.join(id, () => clients.delete(client));
      clients.add(client);
      stopHeartbeat ??= clock.timer(HEARTBEAT_MS, beat);
      const missed = room.feed.since(lastEventId);
      if (missed !== undefined) room.resume(client, missed);
      else {
        const { history, marks } = await readOrLeave(read, client);
        const messages = mergeHistory(history, room.feed.recent(), SNAPSHOT_BYTES);
        room.snapshot(client, { messages, marks, more: history.length === SNAPSHOT || messages.length < history.length });
      }
      return client.stream.body;
    },
    publish: (conversation, message) => roomOf(conversation).publish(message),
    typing: (conversation) => rooms.get(conversation)?.say(frameEvent("typing", {})),
    say: (conversation, frame) => rooms.get(conversation)?.say(frame),
    tell(visitor, frame, except) {
      for (const [name, room] of rooms) {
        if (name !== except && (name === visitor || name.startsWith(`${visitor}/`))) room.say(frame);
      }
    },
    preview: (conversation, preview) => roomOf(conversation).preview(preview),
    acknowledge: (conversation, client, seq) => rooms.get(conversation)?.acknowledge(client, seq),
    close() {
      closed = true;
      stopHeartbeat?.();
      for (const room of rooms.values()) room.close();
      rooms.clear();
    },
  };
}

/** A tab whose history cannot be read must not keep its place. */
async function readOrLeave(read: () => Promise<StoredConversation>, client: Client): Promise<StoredConversation> {
  try {
    return await read();
  } catch (error) {
    client.stream.end();
    throw error;
  }
}

function forgetIdle(rooms: Map<string, Room>, except: Room): void {
  if (rooms.size <= IDLE_ROOMS) return;
  const idle = [...rooms].filter(([, room]) => room.size === 0 && room !== except);
  for (const [conversation, room] of idle.slice(0, Math.max(0, idle.length - IDLE_ROOMS))) {
    room.close();
    rooms.delete(conversation);
  }
}
