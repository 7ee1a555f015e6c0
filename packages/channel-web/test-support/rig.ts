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
      readonly body?: unknown;
    },
  ): Promise<Response | undefined>;
  post(clientId: string, text: string, who?: HttpIdentity): Promise<Response>;
  /** Sends a part and stores its receipt, as the delivery worker does. */
  deliver(key: string, text: string, more?: Partial<OutboundPart>): Promise<void>;
}

export async function createFakeGateway(account = "main"): Promise<FakeGateway> {
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
    report: (state) => void states.push(state),
    async history(conversation, { limit }) {
      await gateway.beforeHistory();
      return stored.filter((entry) => (entry.inbound ?? entry.part)?.conversation.id === conversation.id).slice(-limit);
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
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const accept = path.includes("/web/events") ? { accept: "text/event-stream" } : {};
      const init = { method, headers: { ...json, ...accept, ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return handler(new Request(`http://localhost${path}`, init), who ?? undefined);
    },
    async post(clientId, text, who = ANN) {
      const response = await gateway.request("/web/messages", { who, method: "POST", body: { clientId, text } });
      return response ?? Response.error();
    },
    async deliver(key, text, more = {}) {
      const part = partOf(key, text, more);
      const { messageId, at = 0 } = await transport.send(part, new AbortController().signal);
      stored.push({ direction: "out", id: messageId, key, at, part });
    },
  };
  await transport.start();
  return gateway;
}

function accept(message: InboundMessage, stored: HistoryEntry[], at: number): { id: string; duplicate: boolean } {
  const known = stored.find((entry) => entry.id === message.id && entry.inbound?.conversation.id === message.conversation.id);
  if (known === undefined) stored.push({ direction: "in", id: message.id, at, inbound: message });
  return { id: `in_${message.id}`, duplicate: known !== undefined };
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
  next(): Promise<SeenEvent>;
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
  let text = "";
  let done = false;
  const pull = async (): Promise<void> => {
    const chunk = await reader.read();
    done = chunk.done;
    text += decoder.decode(chunk.value, { stream: !done });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) events.push(parseEvent(block));
  };
  const tab: Tab = {
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
