import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How much may be open, and how slow. Times in ms. */
export interface ConnectionLimits {
  /** Connections at once, over all addresses. */
  readonly connections: number;
  /** From the first byte to the end of a request's headers. */
  readonly headersMs: number;
  /** From the first byte to the end of its body: a file of 20 MB at 0.5 Mbit/s. */
  readonly requestMs: number;
  /** How often both are looked at. */
  readonly lookMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { connections: 1024, headersMs: 10_000, requestMs: 330_000, lookMs: 2000 };

interface Connection {
  readonly address: string;
  /** What it asked last; undefined before the first request. */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

/**
 * Keeps a server reachable when somebody opens connections and says nothing, or takes for ever to say it: at the limit a newcomer gets
 * the place of the oldest connection that waits, of the address that has most of them. A connection whose request has been read whole and
 * is being answered, an event stream among them, keeps its place; when there is none but those, the newcomer is turned away.
 */
export function boundConnections(server: Server, limit: number): void {
  /** In the order in which they began to wait. */
  const open = new Map<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    open.set(socket, { address: socket.remoteAddress ?? "", last: undefined });
    socket.once("close", () => open.delete(socket));
    if (open.size > limit) (oldestWaiting(open) ?? socket).destroy();
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket);
    if (connection === undefined) return;
    connection.last = { request, response };
    response.once("close", () => {
      // It waits for its next request from now on.
      if (open.delete(request.socket) && !request.socket.destroyed) open.set(request.socket, connection);
    });
  });
}

function oldestWaiting(open: ReadonlyMap<Socket, Connection>): Socket | undefined {
  const waiting = new Map<string, Socket[]>();
  for (const [socket, connection] of open) {
    if (isAnswering(connection)) continue;
    const sockets = waiting.get(connection.address);
    if (sockets === undefined) waiting.set(connection.address, [socket]);
    else sockets.push(socket);
  }
  const most = [...waiting.values()].toSorted((a, b) => b.length - a.length)[0];
  return most?.[0];
}

function isAnswering({ last }: Connection): boolean {
  return last !== undefined && last.request.complete && !last.response.closed;
}
