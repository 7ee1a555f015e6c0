import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";

/** The connections of one account to the Bot API server. */
export interface TelegramHttp {
  /** What grammY's client calls instead of its own fetch: of the answer it reads nothing but `json()`. Rejects with an HttpFault. */
  readonly fetch: (url: string, init: FetchInit) => Promise<{ json(): Promise<unknown> }>;
  /** Opens a file below the server's root. Rejects with an HttpFault; so does the body's iteration. */
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
    const reason = typeof code === "string" && code !== "" ? (IN_WORDS[code] ?? code) : name === "AbortError" ? "aborted" : "network error";
    super(`no answer: ${reason}`, { cause });
    this.name = "HttpFault";
    this.sent = sent;
    this.reason = reason;
  }
}

/** undici's names for what the system has none for. Source: undici's docs/api/Errors.md. */
const IN_WORDS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CONNECT_TIMEOUT: "connecting timed out",
  UND_ERR_ABORTED: "aborted",
  UND_ERR_DESTROYED: "aborted",
  UND_ERR_CLOSED: "aborted",
};

/** Where a proxy would be in the way. */
const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Longest try to connect, ms. grammY's own limit then still leaves room for the call. */
const CONNECT_MS = 10_000;

/** Longest answer to a call, in characters: a hundred updates of the largest kind are far below it. */
const ANSWER_CHARS = 64 * 1024 * 1024;

/**
 * A pool of its own for each account: a connection that died without a word is then nobody else's, and goes with the account. grammY's
 * own fetch is node-fetch, whose streams cost a third of what a whole answer does. `proxy`: address of one, for servers elsewhere.
 */
export async function createTelegramHttp(apiRoot: string, proxy?: string): Promise<TelegramHttp> {
  const { Pool, ProxyAgent } = await import("undici");
  const { origin, hostname } = new URL(apiRoot);
  // grammY's limits and signals end a call; undici's own would cut a long poll.
  const limits = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_MS } };
  const tls = { timeout: CONNECT_MS };
  const open = (): Dispatcher =>
    proxy === undefined || THIS_MACHINE.test(hostname)
      ? new Pool(origin, limits)
      : new ProxyAgent({ ...limits, uri: proxy, requestTls: tls, proxyTls: tls });
  let pool = open();
  const pathOf = (url: string): string => url.slice(origin.length);
  return {
    fetch: async (url, { method, headers, body, signal }) => {
      const text = await answerOf(pool, { origin, path: pathOf(url), method: method as "POST", headers: { ...headers }, body }, signal);
      return { json: async () => JSON.parse(text) as unknown };
    },
    async open(path, signal) {
      try {
        const { statusCode, headers, body } = await pool.request({ origin, path: pathOf(`${apiRoot}${path}`), method: "GET", signal });
        return { status: statusCode, contentType: String(headers["content-type"] ?? ""), body };
      } catch (error) {
        throw new HttpFault(error, true);
      }
    },
    close() {
      const closing = pool;
      pool = open();
      // What it cuts learns of it by itself.
      closing.destroy().catch(() => {});
    },
  };
}

/** One call's whole answer, as text. The low-level dispatch: it knows whether a request began to leave, and costs no stream a call. */
function answerOf(pool: Dispatcher, request: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    const end = (): boolean => {
      if (over) return false;
      over = true;
      signal.removeEventListener("abort", abort);
      return true;
    };
    const fail = (error: unknown): void => {
      if (end()) reject(new HttpFault(error, controller !== undefined));
    };
    const abort = (): void => {
      fail(ABORTED);
      controller?.abort(ABORTED);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    pool.dispatch(request, {
      onRequestStart(started) {
        // Given up while connecting: the library has no way to take a request out of its queue before this moment.
        if (over) return started.abort(ABORTED);
        controller = started;
      },
      onResponseData(_started, chunk) {
        length += chunk.length;
        if (length > ANSWER_CHARS) return void controller?.abort(new Error("the answer is too long"));
        chunks.push(chunk);
      },
      onResponseEnd() {
        if (end()) resolve(Buffer.concat(chunks).toString("utf8"));
      },
      onResponseError: (_started, error) => fail(error),
    });
  });
}

/** Made once: a stack for each of them would cost more than what it tells. */
const ABORTED = Object.assign(new Error("The request was given up."), { name: "AbortError" });

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
