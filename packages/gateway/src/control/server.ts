import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { GatewayError, toGatewayError } from "@trunkline/plugin-sdk";
import type { ControlApi, ControlProblem } from "./protocol.ts";

/** The server end of the socket. */
export interface ControlServer {
  close(): Promise<void>;
}

/**
 * Serves the command line on a unix socket that only the owner of the data folder can open (0600 in a 0700 folder): who can open it
 * could read the database as well. A socket file left by a killed gateway is replaced; the instance lock says that it is dead.
 */
export async function listenControl(path: string, api: ControlApi): Promise<ControlServer> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  const server = createServer((request, response) => {
    answer(request, api).then(
      (body) => reply(response, 200, body),
      (error: unknown) => {
        const { code, detail, hint } = toGatewayError(error);
        reply(response, 400, { code, detail, hint } satisfies ControlProblem);
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new GatewayError("STORE_UNAVAILABLE", { detail: { path }, cause: error })));
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, api: ControlApi): Promise<unknown> {
  const url = new URL(request.url ?? "/", "http://control");
  if (url.pathname === "/status") return api.status();
  if (url.pathname === "/explain") return api.explain(url.searchParams.get("message") ?? "");
  throw new GatewayError("GATEWAY_USAGE", {
    detail: { reason: "the running gateway does not know this request; is it an older version?" },
  });
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
