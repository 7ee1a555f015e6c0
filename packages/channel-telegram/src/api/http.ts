import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { isThisMachine } from "@trunkline/plugin-sdk";

/** The connections of one account to the Bot API server. */
export interface TelegramHttp {
  /** What grammY's client calls instead of its own fetch: of the answer it reads nothing but `json()`. Rejects with an HttpFault. */
  readonly fetch: (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;
  /** Opens a file below the server's root. Rejects with an HttpFault. */
  open(path: string, signal: AbortSignal): Promise<{ readonly status: number; readonly contentType: string; readonly body: Readable }>;
  /** Cuts what is open. A later call opens connections anew. */
  close(): void;
}

/** What grammY hands to fetch. A file's body is a stream, everything else a text. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
  readonly signal: AbortSignal;
}

/** A request without an answer. Its text names no URL: the token is part of it. */
export class HttpFault extends Error {
  /** Whether any of the request may have left this machine. */
  readonly sent: boolean;
  /** What happened, in a word: the system's own where it has one (`ECONNREFUSED`). */
  readonly reason: string;

  constructor(cause: unknown, sent: boolean) {
    const { code, name } = fieldsOf(cause);
    const reason = typeof code === "string" && code !== "" ? code : name === "AbortError" ? "aborted" : "network error";
    super(`no answer: ${reason}`, { cause });
    this.name = "HttpFault";
    this.sent = sent;
    this.reason = reason;
  }
}

/** Longest answer to a call, in bytes: a hundred updates of the largest kind are far below it. */
const ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Keep-alive connections of one account: one that died without a word is then nobody else's, and goes with the account. grammY's own
 * fetch is node-fetch, whose streams cost a third of what a whole answer does, and which does not tell whether anything was sent.
 * `proxy`: address of one, for servers elsewhere.
 */
export async function createTelegramHttp(apiRoot: string, proxy?: string): Promise<TelegramHttp> {
  const { protocol, hostname, port, origin } = new URL(apiRoot);
  const { request, Agent: DirectAgent } = await (protocol === "http:" ? import("node:http") : import("node:https"));
  const agent: Agent = proxy === undefined || isThisMachine(hostname) ? new DirectAgent(KEPT) : await agentThrough(proxy);
  const send = (url: string, { method, headers, body, signal }: Omit<FetchInit, "body"> & Partial<FetchInit>): Promise<IncomingMessage> => {
    const place: RequestOptions = { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port, path: url.slice(origin.length) };
    return answerTo(request({ ...place, method, headers, agent }), body, signal);
  };
  return {
    async fetch(url, init) {
      const text = await textOf(await send(url, init));
      return { json: async () => JSON.parse(text) as unknown };
    },
    async open(path, signal) {
      const body = await send(`${apiRoot}${path}`, { method: "GET", headers: {}, signal });
      return { status: body.statusCode ?? 0, contentType: body.headers["content-type"] ?? "", body };
    },
    close: () => agent.destroy(),
  };
}

const KEPT = { keepAlive: true };

/** The libraries for proxies are loaded where there is one. */
async function agentThrough(proxy: string): Promise<Agent> {
  if (proxy.startsWith("socks5:")) {
    // The names of servers are the proxy's to look up.
    const { SocksProxyAgent } = await import("socks-proxy-agent");
    return new SocksProxyAgent(proxy.replace(/^socks5:/, "socks5h:"), KEPT);
  }
  const { HttpsProxyAgent } = await import("https-proxy-agent");
  return new HttpsProxyAgent(proxy, KEPT);
}

/** Sends a request and resolves with the head of its answer. Whoever gives up cuts the connection, also while the body comes. */
function answerTo(request: ClientRequest, body: string | Readable | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let sent = false;
    const abort = (): void => void request.destroy(ABORTED);
    request.once("socket", (socket) => whenOpen(socket as TLSSocket, () => (sent = true)));
    request.once("response", resolve);
    // Behind the head it is the body's reader who learns of it.
    request.on("error", (error) => reject(new HttpFault(error, sent)));
    request.once("close", () => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    if (body === undefined || typeof body === "string") request.end(body);
    else body.on("error", (error) => request.destroy(error)).pipe(request);
  });
}

/** Calls back once what is written to a socket leaves this machine: behind the connection, and behind the handshake where there is one. */
function whenOpen(socket: TLSSocket, callback: () => void): void {
  if (socket.encrypted !== true) {
    if (socket.connecting) socket.once("connect", callback);
    else callback();
  }
  // Source: nodejs.org/api/tls.html#tlssocketgetprotocol, "unknown" until the handshake is over.
  else if (socket.connecting || socket.getProtocol() === "unknown") socket.once("secureConnect", callback);
  else callback();
}

function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    answer.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > ANSWER_BYTES) answer.destroy(new Error("the answer is too long"));
      else chunks.push(chunk);
    });
    answer.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    answer.once("error", (error) => reject(new HttpFault(error, true)));
  });
}

/** Made once: a stack for each of them would cost more than what it tells. */
const ABORTED = Object.assign(new Error("The request was given up."), { name: "AbortError" });

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
