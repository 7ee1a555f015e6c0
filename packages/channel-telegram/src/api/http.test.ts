import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTelegramHttp, type FetchInit } from "./http.ts";

/** Starts a server on a free port of this machine. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // Cut connections are what these tests are about.
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function httpTo(apiRoot: string, proxy?: string) {
  const http = await createTelegramHttp(apiRoot, proxy);
  onTestFinished(() => http.close());
  return {
    http,
    call: (init: Partial<FetchInit> = {}) =>
      http
        .fetch(`${apiRoot}/bot1/getMe`, { method: "POST", headers: {}, body: "{}", signal: new AbortController().signal, ...init })
        .then((answer) => answer.json()),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe("a call", () => {
  it("sends its path, headers and body, and gives the answer, whatever the status", async () => {
    const port = await listening(
      createHttpServer(async (request, response) => {
        const body = await bodyOf(request);
        response.writeHead(400).end(JSON.stringify({ path: request.url, type: request.headers["content-type"], body }));
      }),
    );
    const { call } = await httpTo(`http://127.0.0.1:${port}/root`);
    expect(await call({ headers: { "content-type": "application/json", connection: "keep-alive" }, body: '{"a":"ü"}' })).toEqual({
      path: "/root/bot1/getMe",
      type: "application/json",
      body: '{"a":"ü"}',
    });
  });

  it("streams a file's body", async () => {
    const port = await listening(
      createHttpServer(async (request, response) => response.end(JSON.stringify((await bodyOf(request)).length))),
    );
    const { call } = await httpTo(`http://127.0.0.1:${port}`);
    expect(await call({ body: Readable.from([Buffer.alloc(70_000), Buffer.alloc(50_000)]) })).toBe(120_000);
  });

  it("rejects with the fault of the answer's text when that is no JSON", async () => {
    const port = await listening(createHttpServer((_request, response) => response.end("<html>")));
    await expect((await httpTo(`http://127.0.0.1:${port}`)).call()).rejects.toThrow(SyntaxError);
  });
});

describe("a call without an answer", () => {
  it("sent nothing where nobody listens", async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await expect((await httpTo(`http://127.0.0.1:${port}`)).call()).rejects.toMatchObject({ sent: false, reason: "ECONNREFUSED" });
  });

  it("sent nothing where the other side speaks no TLS", async () => {
    const port = await listening(createServer((socket) => socket.end("what?\n")));
    await expect((await httpTo(`https://127.0.0.1:${port}`)).call()).rejects.toMatchObject({ sent: false });
  });

  it("may have been sent when the connection closes on it", async () => {
    const port = await listening(createServer((socket) => socket.once("data", () => socket.destroy())));
    await expect((await httpTo(`http://127.0.0.1:${port}`)).call()).rejects.toMatchObject({ name: "HttpFault", sent: true });
  });

  it("may have been sent when it is given up behind that, and its connection is cut", async () => {
    const giveUp = new AbortController();
    const cut = new Promise<void>((resolve) => {
      void listening(
        createServer((socket) => {
          socket.once("data", () => giveUp.abort());
          socket.once("close", () => resolve());
        }),
      ).then(async (port) => {
        const call = (await httpTo(`http://127.0.0.1:${port}`)).call({ signal: giveUp.signal });
        await expect(call).rejects.toMatchObject({ sent: true, reason: "aborted" });
      });
    });
    await cut;
  });

  it("sent nothing when it was given up before", async () => {
    let calls = 0;
    const port = await listening(createHttpServer((_request, response) => (calls++, response.end("{}"))));
    const { call } = await httpTo(`http://127.0.0.1:${port}`);
    await expect(call({ signal: AbortSignal.abort() })).rejects.toMatchObject({ sent: false, reason: "aborted" });
    const giveUp = new AbortController();
    const connecting = call({ signal: giveUp.signal });
    giveUp.abort();
    await expect(connecting).rejects.toMatchObject({ sent: false, reason: "aborted" });
    await call();
    expect(calls).toBe(1);
  });

  it("ends at a close, and a later call connects anew", async () => {
    const port = await listening(
      createHttpServer((request, response) => {
        if (request.headers["x-wait"] === undefined) response.end("{}");
        else http.close();
      }),
    );
    const { http, call } = await httpTo(`http://127.0.0.1:${port}`);
    await expect(call({ headers: { "x-wait": "1" } })).rejects.toMatchObject({ sent: true });
    expect(await call()).toEqual({});
  });
});

describe("a proxy", () => {
  /** A proxy that tunnels everything to one port; gives what it was asked for. */
  async function proxy(to: number) {
    const asked: string[] = [];
    const port = await listening(
      createHttpServer().on("connect", (request: IncomingMessage, client: Socket) => {
        asked.push(request.url ?? "");
        const server = connect(to, "127.0.0.1", () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n");
          server.pipe(client).pipe(server);
        });
        client.on("error", () => server.destroy());
        server.on("error", () => client.destroy());
      }),
    );
    return { url: `http://127.0.0.1:${port}`, asked };
  }

  it("is the way to servers elsewhere, calls and files", async () => {
    const port = await listening(createHttpServer((request, response) => response.end(JSON.stringify(request.url))));
    const { url, asked } = await proxy(port);
    const { call, http } = await httpTo("http://bots.example.org", url);
    expect(await call()).toBe("/bot1/getMe");
    const file = await http.open("/file/a.jpg", new AbortController().signal);
    expect(await file.body.toArray().then((chunks) => Buffer.concat(chunks as Buffer[]).toString())).toBe('"/file/a.jpg"');
    expect(new Set(asked)).toEqual(new Set(["bots.example.org:80"]));
  });

  it("is not the way to a server on this machine", async () => {
    const port = await listening(createHttpServer((_request, response) => response.end("{}")));
    const { url, asked } = await proxy(port);
    expect(await (await httpTo(`http://127.0.0.1:${port}`, url)).call()).toEqual({});
    expect(asked).toEqual([]);
  });
});
