import { createHash } from "node:crypto";
import {
  type AccountState,
  type ChannelHost,
  type Clock,
  type ConversationRef,
  GatewayError,
  type HistoryEntry,
  type HttpHandler,
  type HttpIdentity,
  type InboundMessage,
  type OutboundPart,
  silentLogger,
  type Transport,
} from "@trunkline/plugin-sdk";
import { webChannel } from "../src/index.ts";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(start = 1_800_000_000_000): ManualClock {
  let elapsed = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    sleep: () => Promise.reject(new TypeError("nothing here sleeps")),
    timer(ms, callback) {
      const timer = { at: elapsed + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const next = [...timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers.delete(next);
        elapsed = next.at;
        next.callback();
      }
      elapsed = end;
    },
  };
}

export const VISITOR = "0123456789abcdef0123456789abcdef";
export const ANN: HttpIdentity = { role: "chat", visitor: VISITOR };
export const OWNER: HttpIdentity = { role: "admin", visitor: "f".repeat(32) };

/** The gateway's side of the channel: a store in memory, and the routes that the transport asks for. */
export interface FakeGateway {
  readonly clock: ManualClock;
  readonly transport: Transport;
  readonly stored: HistoryEntry[];
  readonly states: AccountState[];
  readonly routes: string[];
  /** While set, nothing can be stored. */
  full: boolean;
  /** Runs before a history is given. */
  beforeHistory: () => Promise<void>;
  request(
    path: string,
    options?: {
      /** Ann when absent, nobody when null. */ readonly who?: HttpIdentity | null;
      readonly method?: string;
      readonly headers?: Record<string, string>;
      /** Sent as JSON, bytes as they are. */
      readonly body?: unknown;
    },
  ): Promise<Response | undefined>;
  post(
    clientId: string,
    text: string,
    who?: HttpIdentity,
    more?: { readonly c?: string; readonly files?: readonly string[] },
  ): Promise<Response>;
  /** What the page gets by POST as JSON: the status, and the body if there is one. */
  call(path: string, body: unknown, who?: HttpIdentity): ReturnType<typeof answerOf>;
  get(path: string, who?: HttpIdentity): ReturnType<typeof answerOf>;
  /** Sends a part and stores its receipt, as the delivery worker does. */
  deliver(key: string, text: string, more?: Partial<OutboundPart>): Promise<void>;
}

export async function createFakeGateway(account = "main", memory = new Map<string, string>()): Promise<FakeGateway> {
  const media = new Map<string, Uint8Array>();
  const clock = createManualClock();
  const stored: HistoryEntry[] = [];
  const states: AccountState[] = [];
  const routes: string[] = [];
  let handler: HttpHandler = async () => undefined;
  const host: ChannelHost = {
    channel: "web",
    account,
    clock,
    logger: silentLogger,
    signal: new AbortController().signal,
    async receive(messages) {
      if (gateway.full) throw new GatewayError("STORE_FULL", { detail: { path: "/data" } });
      return messages.map((message) => accept(message, stored, clock.now()));
    },
    unreadable: async () => ({ id: "in_unreadable", duplicate: false }),
    alive: () => {},
    report: (state) => void states.push(state),
    async history(conversation, { limit, before }) {
      await gateway.beforeHistory();
      const all = stored.filter((entry) => isIn(entry, conversation));
      const end = before === undefined ? -1 : all.findIndex((entry) => entry.id === before.id);
      return (end < 0 ? all : all.slice(0, end)).slice(-limit);
    },
    message: async (conversation, id) => stored.find((entry) => entry.id === id && isIn(entry, conversation)),
    async saveMedia(data) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of data) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (bytes.byteLength > 20 * 1024 * 1024) throw new GatewayError("DELIVERY_MEDIA_REFUSED");
      const id = createHash("sha256").update(bytes).digest("hex");
      media.set(id, bytes);
      return { id, size: bytes.byteLength };
    },
    async openMedia(id) {
      const bytes = media.get(id);
      return bytes && { id, size: bytes.byteLength, data: new Blob([new Uint8Array(bytes)]).stream() };
    },
    memory: {
      get: async (name) => memory.get(name),
      async set(name, value) {
        if (gateway.full) throw new GatewayError("STORE_FULL", { detail: { path: "/data" } });
        if (value === undefined) memory.delete(name);
        else memory.set(name, value);
      },
    },
    http: {
      route(prefix, given) {
        routes.push(prefix);
        handler = given;
      },
    },
  };
  const transport = webChannel.connect({}, host);
  const gateway: FakeGateway = {
    clock,
    transport,
    stored,
    states,
    routes,
    full: false,
    beforeHistory: async () => {},
    request(path, { who = ANN, method = "GET", headers = {}, body } = {}) {
      const raw = body instanceof Uint8Array ? new Uint8Array(body) : undefined;
      const json = body === undefined || raw !== undefined ? {} : { "content-type": "application/json" };
      const accept = path.includes("/web/events") ? { accept: "text/event-stream" } : {};
      const init = {
        method,
        headers: { ...json, ...accept, ...headers },
        ...(body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
      };
      return handler(new Request(`http://localhost${path}`, init), who ?? undefined);
    },
    async post(clientId, text, who = ANN, more = {}) {
      const response = await gateway.request("/web/messages", { who, method: "POST", body: { clientId, text, ...more } });
      return response ?? Response.error();
    },
    call: async (path, body, who = ANN) => answerOf(await gateway.request(path, { who, method: "POST", body })),
    get: async (path, who = ANN) => answerOf(await gateway.request(path, { who })),
    async deliver(key, text, more = {}) {
      const part = partOf(key, text, more);
      const { messageId, at = 0 } = await transport.send(part, new AbortController().signal);
      stored.push({ direction: "out", id: messageId, key, at, part });
    },
  };
  await transport.start();
  return gateway;
}

function isIn(entry: HistoryEntry, { id, threadId }: ConversationRef): boolean {
  const place = (entry.inbound ?? entry.part)?.conversation;
  return entry.inbound?.kind !== "reaction" && place?.id === id && place.threadId === threadId;
}

// What a test looks at differs from answer to answer.
// oxlint-disable-next-line typescript/no-explicit-any
async function answerOf(response: Response | undefined): Promise<{ readonly status: number; readonly body: any }> {
  const text = (await response?.text()) ?? "";
  return { status: response?.status ?? 0, body: text.startsWith("{") ? JSON.parse(text) : text };
}

function accept(message: InboundMessage, stored: HistoryEntry[], at: number): { id: string; duplicate: boolean } {
  const known = stored.find(
    (entry) => entry.id === message.id && entry.inbound?.eventId === message.eventId && isSamePlace(entry, message),
  );
  if (known === undefined) stored.push({ direction: "in", id: message.id, at, inbound: message });
  return { id: `in_${message.id}`, duplicate: known !== undefined };
}

function isSamePlace({ inbound }: HistoryEntry, { conversation: { id, threadId } }: InboundMessage): boolean {
  return inbound?.conversation.id === id && inbound.conversation.threadId === threadId;
}

export const conversation: ConversationRef = { channel: "web", account: "main", kind: "direct", id: VISITOR };

export function partOf(key: string, text: string, more: Partial<OutboundPart> = {}): OutboundPart {
  return { id: `ob_${key}`, key, conversation, text: { text: `<p>${text}</p>`, plain: text, length: text.length }, ...more };
}

export interface SeenEvent {
  readonly name: string;
  readonly id: string | undefined;
  // What a test looks at differs from event to event.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** A tab: reads an event stream one event at a time. */
export interface Tab {
  /** The next event but for new lists of conversations, which come in between. */
  next(): Promise<SeenEvent>;
  nextList(): Promise<readonly { readonly id: string; readonly title: string }[]>;
  /** Events until one of this name, inclusive. */
  until(name: string): Promise<SeenEvent[]>;
  /** Resolves with the number of events that came before the stream's end. */
  ended(): Promise<number>;
  leave(): Promise<void>;
}

export function readTab(response: Response | undefined): Tab {
  const reader = (response?.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  const events: SeenEvent[] = [];
  const lists: SeenEvent[] = [];
  let text = "";
  let done = false;
  const pull = async (): Promise<void> => {
    const chunk = await reader.read();
    done = chunk.done;
    text += decoder.decode(chunk.value, { stream: !done });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      (event.name === "conversations" ? lists : events).push(event);
    }
  };
  const tab: Tab = {
    async nextList() {
      while (lists.length === 0 && !done) await pull();
      return lists.shift()?.data.list;
    },
    async next() {
      while (events.length === 0 && !done) await pull();
      const event = events.shift();
      if (event === undefined) throw new TypeError("the stream has ended");
      return event;
    },
    async until(name) {
      const seen = [await tab.next()];
      while (seen.at(-1)?.name !== name) seen.push(await tab.next());
      return seen;
    },
    async ended() {
      while (!done) await pull();
      return events.length;
    },
    leave: () => reader.cancel(),
  };
  return tab;
}

function parseEvent(block: string): SeenEvent {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const data = field("data");
  return {
    name: field("event") ?? (block.startsWith(":") ? "heartbeat" : ""),
    id: field("id"),
    data: data === undefined ? undefined : JSON.parse(data),
  };
}

/** Opens the tab `client`, as the page does. */
export async function openTab(gateway: FakeGateway, client: string, lastEventId?: string, who: HttpIdentity = ANN): Promise<Tab> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  return readTab(await gateway.request(`/web/events?client=${client}`, { who, headers }));
}

/** The n-th of endless client ids. */
export function clientId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}
