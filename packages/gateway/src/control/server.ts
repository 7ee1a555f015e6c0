import { chmodSync, mkdirSync, unlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { GatewayError, toGatewayError } from "@trunkline/plugin-sdk";
import { CONTROL_CALLS, type ControlApi, type ControlProblem, isControlCall } from "./protocol.ts";

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
  removeStale(path);
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

/** Longest argument of a call, in bytes: a text to try, and room for its escapes. */
const BODY_BYTES = 2 * 1024 * 1024;

/** A call is `POST /<name>` with its argument as JSON. */
async function answer(request: IncomingMessage, api: ControlApi): Promise<unknown> {
  const name = (request.url ?? "/").slice(1);
  if (request.method !== "POST" || !isControlCall(name)) {
    throw usage("the running gateway does not know this request; is it of another version?");
  }
  const args = CONTROL_CALLS[name].safeParse(await readBody(request));
  if (!args.success) throw usage("the running gateway does not understand this request; is it of another version?");
  const call = api[name] as (args: unknown) => Promise<unknown>; // its own schema has just read the argument
  return call(args.data);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES) throw usage("the request is too long");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined; // no schema takes it
  }
}

function usage(reason: string): GatewayError {
  return new GatewayError("GATEWAY_USAGE", { detail: { reason } });
}

/** Plain unlink: after rmSync on a socket, Node 20.20 resolves later imports without following links, and lazy libraries are not found. */
function removeStale(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw new GatewayError("STORE_UNAVAILABLE", { detail: { path }, cause: error });
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
