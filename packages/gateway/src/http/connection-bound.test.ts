import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { systemClock } from "@trunkline/plugin-sdk";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connection-bound.ts";
import { openListener } from "./listener.ts";

const LIMIT = 12;

async function listen(limits: Partial<ConnectionLimits> = {}): Promise<number> {
  const app = new Hono();
  app.get("/", (context) => context.text("hello"));
  app.post("/", async (context) => context.text(`${(await context.req.text()).length}`));
  app.get("/stream", () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }));
  app.onError(() => new Response(null, { status: 400 })); // a body that breaks off
  const listener = await openListener(app, "127.0.0.1", 0, systemClock, { ...CONNECTION_LIMITS, connections: LIMIT, ...limits });
  onTestFinished(() => listener.close());
  return listener.port;
}

/** A connection that says this much and no more. */
async function halfOpen(port: number, words: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (words !== "") await new Promise((resolve) => void socket.write(words, resolve));
  return socket;
}

function visit(port: number, path = "/"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, agent: false }, (answer) => {
      if (path === "/") answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      else resolve(answer.statusCode ?? 0);
      onTestFinished(() => void answer.destroy());
    });
    asking.on("error", reject).end();
  });
}

describe("a server at which many connections are open that say nothing", () => {
  it.each([
    ["nothing", ""],
    ["half a header", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "],
    ["half a body", "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nhalf"],
  ])("answers a visitor at once, when they say %s", async (_, words) => {
    const port = await listen();
    const sockets: Socket[] = [];
    for (let n = 0; n < 3 * LIMIT; n += 1) sockets.push(await halfOpen(port, words));
    for (let n = 0; n < 3; n += 1) expect(await visit(port)).toBe(200);
    const open = sockets.filter(({ closed, destroyed }) => !closed && !destroyed).length;
    expect(open, "what is open is bounded").toBeLessThanOrEqual(LIMIT);
  });

  it("cuts none that is being answered, and turns the newcomer away when there are only those", async () => {
    const port = await listen();
    for (let n = 0; n < LIMIT; n += 1) expect(await visit(port, "/stream")).toBe(200);
    await expect(visit(port)).rejects.toThrow();
  });

  it("ends one that takes too long to say what it wants", async () => {
    const port = await listen({ headersMs: 50, requestMs: 50, lookMs: 20 });
    const socket = await halfOpen(port, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    socket.resume();
    await once(socket, "close");
    expect(await visit(port)).toBe(200);
  });
});
