import type { Server, ServerResponse } from "node:http";
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from "@hono/node-server";
import { type Clock, GatewayError } from "@trunkline/plugin-sdk";
import type { Hono } from "hono";
import { boundConnections, CONNECTION_LIMITS, type ConnectionLimits } from "./connection-bound.ts";

/** A socket on which nothing moves for so long is dead. Event streams have a heartbeat. Unit: ms. */
const SILENCE_MS = 300_000;
/** How long requests in flight may take once the server closes. Unit: ms. */
const GRACE_MS = 1000;

/** A listening socket that can be closed in bounded time. */
export interface Listener {
  /** The port that it got; the given one unless that was 0. */
  readonly port: number;
  /** Ends every event stream. Those who still may come back and resume. */
  cutStreams(): void;
  close(): Promise<void>;
}

/**
 * Listens on an address.
 *
 * @throws GatewayError GATEWAY_PORT_BUSY, or GATEWAY_PORT_DENIED for an address that is not ours or not allowed.
 */
export async function openListener(
  app: Pick<Hono, "fetch">,
  host: string,
  port: number,
  clock: Clock,
  limits: ConnectionLimits = CONNECTION_LIMITS,
): Promise<Listener> {
  const streams = new Set<ServerResponse>();
  const fetch = async (request: Request, env: HttpBindings | Http2Bindings): Promise<Response> => {
    const response = await app.fetch(request, env);
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) remember(streams, env as HttpBindings);
    return response;
  };
  // Only the HTTP/1.1 server is ever asked for; the adaptor's type also covers HTTP/2.
  // The adaptor would also replace the process's global Request and Response; other code has a right to the real ones.
  const serverOptions = { headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, connectionsCheckingInterval: limits.lookMs };
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false, serverOptions }) as Server;
  boundConnections(server, limits.connections);
  server.setTimeout(SILENCE_MS);
  server.on("request", (_request, response: ServerResponse) => {
    // While the server closes, a connection whose request is done must not be kept alive for the next one.
    response.once("close", () => void (server.listening || server.closeIdleConnections()));
  });
  await bind(server, host, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    cutStreams: () => streams.forEach((stream) => stream.destroy()),
    close: () => closeServer(server, streams, clock),
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => reject(bindError(error, host, port));
    server.once("error", refused);
    server.listen({ host: host.replace(/^\[|\]$/g, ""), port }, () => {
      server.off("error", refused);
      resolve();
    });
  });
}

function bindError(error: NodeJS.ErrnoException, host: string, port: number): GatewayError {
  const code = error.code === "EADDRINUSE" ? "GATEWAY_PORT_BUSY" : "GATEWAY_PORT_DENIED";
  return new GatewayError(code, { detail: { host, port }, cause: error });
}

function remember(streams: Set<ServerResponse>, { outgoing }: HttpBindings): void {
  streams.add(outgoing);
  outgoing.once("close", () => streams.delete(outgoing));
}

/** Event streams never end by themselves: they are cut at once (browsers come back and resume); short requests may finish. */
function closeServer(server: Server, streams: ReadonlySet<ServerResponse>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    // A sleep, since that keeps the process alive until it is over: a connection whose request was refused half-read does not.
    const grace = new AbortController();
    clock.sleep(GRACE_MS, grace.signal).then(
      () => server.closeAllConnections(),
      () => {},
    );
    server.close(() => {
      grace.abort();
      resolve();
    });
    for (const stream of streams) stream.destroy();
    server.closeIdleConnections();
  });
}
