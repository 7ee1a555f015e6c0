import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exchange, refused, type ExchangeContext, type Reply } from "./exchange.ts";
import { Refusal, tooManyRequests } from "./refusal.ts";
import { parseParams, parseRoute, readBody } from "./request.ts";

// As long as nginx in front of the real servers keeps an idle connection.
const KEEP_ALIVE_MS = 75_000;

/** The HTTP side of the emulator on loopback. It may stop and start; the state lives elsewhere. */
export class BotApiServer {
  readonly #context: ExchangeContext;
  readonly #token: string;
  #port: number;
  #server: Server | undefined;

  /** `port` 0 takes a free one at the first start and keeps it. */
  constructor(context: ExchangeContext, token: string, port: number) {
    this.#context = context;
    this.#token = token;
    this.#port = port;
  }

  /** The port it listens on, or listened on last. */
  get port(): number {
    return this.#port;
  }

  /** Starts listening on 127.0.0.1; does nothing when it listens. Rejects when the port is taken. */
  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((request, response) => void this.#serve(request, response));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.#server = server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(this.#port, "127.0.0.1", resolve);
      });
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Drops every connection and closes the port. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      await this.#answer(request, response, gone.signal);
    } catch (error) {
      // The caller hung up while its request was read, or sent what cannot be read.
      if (error instanceof Refusal) send(response, refused(error));
      else response.destroy();
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const route = parseRoute(url.pathname);
    const body = await readBody(request);
    if (route === undefined) throw new Refusal(404, "Not Found");
    if (route.token !== this.#token) throw new Refusal(401, "Unauthorized");
    if (route.kind === "file") return this.#sendFile(route.path, response, gone);
    const params = parseParams(url.searchParams, request.headers["content-type"] ?? "", body);
    send(response, await exchange(this.#context, route.method, params, gone));
  }

  async #sendFile(path: string, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { world, faults } = this.#context;
    const fault = faults.draw({ method: "file", chatId: undefined });
    fault?.apply();
    if (fault?.spec.kind === "429") throw tooManyRequests(fault.spec.retryAfter ?? 1);
    if (fault?.spec.kind === "5xx-before" || fault?.spec.kind === "5xx-after") throw new Refusal(fault.spec.code ?? 502, "Bad Gateway");
    if (fault?.spec.kind === "lost-request") return void response.destroy();
    if (fault?.spec.kind === "slow") await new Promise<void>((resolve) => void world.clock.timer(fault.spec.delayMs ?? 0, resolve));
    if (fault?.spec.kind === "hold-before" || fault?.spec.kind === "hold-after") await fault.hold(undefined, gone);
    const file = world.files.findByPath(path);
    if (file === undefined) throw new Refusal(404, "Not Found");
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.byteLength });
    if (fault?.spec.kind === "lost-response") {
      // Half of the file arrives, then the connection breaks.
      response.write(file.bytes.subarray(0, file.bytes.byteLength >> 1), () => response.destroy());
      return;
    }
    response.end(file.bytes);
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.kind === "none") {
    response.destroy();
    return;
  }
  if (response.destroyed) return;
  const body = Buffer.from(JSON.stringify(reply.body));
  response.writeHead(reply.status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}
