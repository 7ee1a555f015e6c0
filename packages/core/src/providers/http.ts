import type { Dispatcher } from "undici";

/** What happens to one request, in this order; `failed` may come instead of anything that has not happened yet. */
export interface HttpListener {
  /** The connection is up and the request goes out. */
  sent(): void;
  /** Status and headers (names in lower case). Informational 1xx answers are left out. */
  head(status: number, headers: HttpHeaders): void;
  /** A piece of the body. */
  data(chunk: Buffer): void;
  /** The body is complete, as far as the protocol can tell. */
  end(): void;
  /** The request could not be sent, or the connection broke. */
  failed(error: unknown): void;
}

export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request under way. */
export interface HttpFlight {
  /** Drops the request, in whatever state it is. The listener hears nothing afterwards. */
  abort(): void;
  /** Stops reading from the socket until `resume`, so that a slow reader holds back the server instead of filling memory. */
  pause(): void;
  resume(): void;
}

/** The connections to one server. */
export interface HttpPool {
  post(path: string, headers: Readonly<Record<string, string>>, body: string, listener: HttpListener): HttpFlight;
  /** Cuts all connections; requests under way fail. */
  close(): Promise<void>;
}

export interface HttpPoolOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** `http://`, `https://` or `socks5://` address of a proxy. */
  readonly proxy?: string;
  /** Ms after which the library itself gives up on a connection attempt. */
  readonly connectMs: number;
}

/**
 * A keep-alive pool on undici; the only file that imports it.
 * The library is loaded with the first request: a gateway that runs on the demo alone does not pay for it.
 * The number of connections is bounded by the caller's number of requests (gateway.maxConcurrentTurns).
 */
export function createHttpPool(options: HttpPoolOptions): HttpPool {
  let opened: Promise<Dispatcher> | undefined;
  return {
    post(path, headers, body, listener) {
      const flight = createFlight(listener);
      opened ??= openDispatcher(options);
      opened.then(
        (dispatcher) => flight.launch(dispatcher, { origin: options.origin, path, method: "POST", headers: { ...headers }, body }),
        (error: unknown) => flight.fail(error),
      );
      return flight;
    },
    async close() {
      await (await opened)?.destroy();
    },
  };
}

async function openDispatcher(options: HttpPoolOptions): Promise<Dispatcher> {
  const { Pool, ProxyAgent } = await import("undici");
  // The library's own waiting limits are off: the caller's deadlines run on the injected clock.
  const limits = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: options.connectMs } };
  return options.proxy === undefined
    ? new Pool(options.origin, limits)
    : new ProxyAgent({
        ...limits,
        uri: options.proxy,
        requestTls: { timeout: options.connectMs },
        proxyTls: { timeout: options.connectMs },
      });
}

interface LaunchedFlight extends HttpFlight {
  launch(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void;
  fail(error: unknown): void;
}

/** The low-level dispatch, not `request`: it costs no stream object per call, and can be given up on while connecting. */
function createFlight(listener: HttpListener): LaunchedFlight {
  let controller: Dispatcher.DispatchController | undefined;
  let over = false;
  const fail = (error: unknown): void => {
    if (over) return;
    over = true;
    listener.failed(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      // Given up while connecting: the library has no way to take a request out of its queue before this moment.
      if (over) started.abort(new DOMException("The request was given up.", "AbortError"));
      else listener.sent();
    },
    onResponseStart(_started, status, headers) {
      if (!over && status >= 200) listener.head(status, headers as HttpHeaders);
    },
    onResponseData(_started, chunk) {
      if (!over) listener.data(chunk);
    },
    onResponseEnd() {
      if (over) return;
      over = true;
      listener.end();
    },
    onResponseError: (_started, error) => fail(error),
  };
  return {
    fail,
    launch(dispatcher, request) {
      if (over) return;
      try {
        dispatcher.dispatch(request, handler);
      } catch (error) {
        fail(error);
      }
    },
    abort() {
      if (over) return;
      over = true;
      controller?.abort(new DOMException("The request was given up.", "AbortError"));
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  };
}
