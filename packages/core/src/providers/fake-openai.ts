import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@trunkline/plugin-sdk";

/** A request that the fake server got. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
  readonly socket: Socket;
}

/** A server on a free local port that answers as the test says. For tests only. */
export interface FakeOpenAi {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
  /** Resolves with the next request that arrives, or has arrived since the last call. */
  arrival(): Promise<SeenRequest>;
  /** Resolves when the given connection is closed. */
  gone(socket: Socket): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server; `answer` gets every request after its body was read. */
export async function startFakeOpenAi(
  answer: (response: ServerResponse, request: SeenRequest) => void | Promise<void>,
): Promise<FakeOpenAi> {
  const seen: SeenRequest[] = [];
  const arrivals = createQueue<SeenRequest>();
  const sockets = new Set<Socket>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>,
      socket: incoming.socket,
    };
    seen.push(request);
    arrivals.push(request);
    await answer(response, request);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    arrival: arrivals.take,
    gone: (socket) => new Promise((resolve) => (socket.destroyed ? resolve() : socket.on("close", () => resolve()))),
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** One streamed piece as an event. */
export function piece(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

/** The events of a short answer, ending as the protocol says. */
export function textStream(...texts: readonly string[]): string {
  const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })}\n\n`;
  return [
    piece({ role: "assistant", content: "" }),
    ...texts.map((content) => piece({ content })),
    piece({}, "stop"),
    usage,
    "data: [DONE]\n\n",
  ].join("");
}

/** Answers with a stream that consists of this text. */
export function sendStream(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(text);
}

/** Writes the same text without end, as fast as the client takes it, until the client leaves. */
export function pour(response: ServerResponse, text: string): void {
  const write = (): void => {
    while (!response.destroyed && response.write(text));
  };
  response.on("drain", write);
  write();
}

/** A clock that stands still until it is moved. Its timers fire in order, in the call that moves it. */
export function createStillClock(): Clock & { advance(ms: number): void; readonly pending: number } {
  let time = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const timer: Clock["timer"] = (ms, run) => {
    const entry = { at: time + ms, run };
    timers.add(entry);
    return () => void timers.delete(entry);
  };
  return {
    now: () => 1_700_000_000_000 + time,
    monotonic: () => time,
    timer,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = timer(ms, resolve);
        signal?.addEventListener("abort", () => (stop(), reject(signal.reason)), { once: true });
      }),
    get pending() {
      return timers.size;
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
        if (next === undefined) break;
        timers.delete(next);
        time = Math.max(time, next.at);
        next.run();
      }
      time = end;
    },
  };
}

function createQueue<T>(): { push(value: T): void; take(): Promise<T> } {
  const values: T[] = [];
  const waiting: ((value: T) => void)[] = [];
  return {
    push(value) {
      const taker = waiting.shift();
      if (taker === undefined) values.push(value);
      else taker(value);
    },
    take: () => new Promise((resolve) => (values.length > 0 ? resolve(values.shift() as T) : waiting.push(resolve))),
  };
}
