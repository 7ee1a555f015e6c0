import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { MEDIA_MAX_BYTES } from "./media-folder.ts";
import { createWebFiles, type WebFilesDeps } from "./web-files.ts";

/** Stands for the public internet in these tests; every other address of this machine is a private one. */
const PUBLIC = "127.0.0.1";
const PRIVATE = "127.0.0.2";

/** A server on one address of this machine, and the paths that it was asked for. */
async function server(answer: RequestListener, host = PUBLIC, port = 0) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(port, host, resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { port: (http.address() as AddressInfo).port, asked };
}

/** Names that resolve to the given addresses, one list for each time that they are looked up. */
function names(...answers: readonly string[][]) {
  const lookups: string[] = [];
  const lookup: NonNullable<WebFilesDeps["lookup"]> = (hostname, _options, callback) => {
    const addresses = answers[Math.min(lookups.length, answers.length - 1)] ?? [];
    lookups.push(hostname);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookup, lookups };
}

const mayAsk = (address: string): boolean => address === PUBLIC;
const never = new AbortController().signal;

async function fetched(address: string, deps: Partial<WebFilesDeps> = {}, signal = never) {
  return createWebFiles({ clock: systemClock, mayAsk, ...deps }).open(address, signal, async ({ data, fileName }) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    return { fileName, text: Buffer.concat(chunks).toString() };
  });
}

describe("a file on the web", () => {
  it("is fetched from the address that its name was checked for, with its query", async () => {
    const { port, asked } = await server((_request, response) => response.end("pixels"));
    const { lookup, lookups } = names([PUBLIC]);
    expect(await fetched(`http://pictures.example:${port}/a/cat.png?size=1#top`, { lookup })).toEqual({
      fileName: "cat.png",
      text: "pixels",
    });
    expect({ asked, lookups }).toEqual({ asked: ["/a/cat.png?size=1"], lookups: ["pictures.example"] });
  });

  it("follows redirects, each checked anew", async () => {
    const { port, asked } = await server((request, response) => {
      if (request.url === "/1") response.writeHead(302, { location: "/2" }).end();
      else if (request.url === "/2") response.writeHead(307, { location: `http://other.example:${port}/cat.jpg` }).end("body");
      else response.end("pixels");
    });
    const { lookup, lookups } = names([PUBLIC]);
    expect(await fetched(`http://pictures.example:${port}/1`, { lookup })).toMatchObject({ fileName: "cat.jpg" });
    expect({ asked, lookups }).toEqual({
      asked: ["/1", "/2", "/cat.jpg"],
      lookups: ["pictures.example", "pictures.example", "other.example"],
    });
  });

  it.each([
    ["/avatar/7?s=80", "image/png", "7.png"],
    ["/a%20b.PNG", "image/png", "a b.PNG"],
    ["/photo.jpeg", "image/jpeg; q=1", "photo.jpeg"],
    ["/", "application/pdf", "file.pdf"],
    ["/..%2f..%2fetc%2fpasswd", "text/plain", ".._.._etc_passwd"],
    ["/%ff%zz", "text/plain", "%ff%zz"],
  ])("at %s of type %s is called %s", async (path, type, name) => {
    const { port } = await server((_request, response) => response.writeHead(200, { "content-type": type }).end("x"));
    expect(await fetched(`http://${PUBLIC}:${port}${path}`)).toEqual({ fileName: name, text: "x" });
  });
});

describe("a fetch is refused", () => {
  const refused = (reason: string | RegExp) => ({
    code: "DELIVERY_MEDIA_REFUSED",
    detail: { reason: expect.stringMatching(reason) as string },
  });

  it.each([
    `http://${PRIVATE}:1/`,
    "http://[::1]:1/",
    "http://[::ffff:127.0.0.2]:1/",
    "http://2130706434:1/",
    "http://0x7f000002:1/",
    "http://0177.0.0.2:1/",
    "http://127.2:1/",
    "http://0:1/",
  ])("at the private address %s, however it is written", async (address) => {
    await expect(fetched(address)).rejects.toMatchObject(refused("not on the public internet"));
  });

  it.each(["file:///etc/passwd", "ftp://example.com/a", "gopher://x/", "data:text/plain,x", "http://", "http://a b/"])(
    "at %s, which is no web address",
    async (address) => {
      await expect(fetched(address)).rejects.toMatchObject(refused("only http"));
    },
  );

  it("with a name and password in the address", async () => {
    await expect(fetched("http://admin:admin@example.com/")).rejects.toMatchObject(refused("password"));
  });

  it("where a name leads to a private address, alone or beside a public one", async () => {
    const { port, asked } = await server((_request, response) => response.end("secret"), PRIVATE);
    for (const addresses of [[PRIVATE], [PUBLIC, PRIVATE], ["::1"], []]) {
      const { lookup } = names(addresses);
      await expect(fetched(`http://rebound.example:${port}/`, { lookup })).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    }
    expect(asked).toEqual([]);
  });

  it("a name that answers differently a moment later gains nothing", async () => {
    const outside = await server((_request, response) => response.end("pixels"));
    const inside = await server((_request, response) => response.end("secret"), PRIVATE, outside.port);
    const { lookup, lookups } = names([PUBLIC], [PRIVATE]);
    expect(await fetched(`http://rebound.example:${outside.port}/`, { lookup })).toMatchObject({ text: "pixels" });
    expect({ lookups: lookups.length, inside: inside.asked }).toEqual({ lookups: 1, inside: [] });
  });

  it.each([`http://${PRIVATE}:1/`, "http://inside.example:1/", "file:///etc/passwd", "http://user:word@example.com/"])(
    "when a redirect leads to %s",
    async (location) => {
      const { port } = await server((_request, response) => response.writeHead(302, { location }).end());
      const { lookup } = names([PRIVATE]);
      await expect(fetched(`http://${PUBLIC}:${port}/`, { lookup })).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    },
  );

  it("when redirects do not end", async () => {
    const { port, asked } = await server((_request, response) => response.writeHead(302, { location: "/again" }).end());
    await expect(fetched(`http://${PUBLIC}:${port}/`)).rejects.toMatchObject(refused("sent on"));
    expect(asked).toHaveLength(6);
  });

  it.each([404, 500, 204, 206])("when the server answers %i", async (status) => {
    const { port } = await server((_request, response) => response.writeHead(status).end());
    await expect(fetched(`http://${PUBLIC}:${port}/`)).rejects.toMatchObject(refused(String(status)));
  });

  it("when the server says that it is too large", async () => {
    const { port } = await server((_request, response) =>
      response.writeHead(200, { "content-length": MEDIA_MAX_BYTES + 1 }).flushHeaders(),
    );
    await expect(fetched(`http://${PUBLIC}:${port}/`)).rejects.toMatchObject(refused("20 MB"));
  });

  it("when it takes too long, and at once when the turn is stopped", async () => {
    const begun: (() => void)[] = [];
    const { port } = await server((_request, response) => {
      response.writeHead(200).write("first");
      begun.shift()?.();
    });
    const clock = createVirtualClock();
    const first = new Promise<void>((resolve) => begun.push(resolve));
    const slow = expect(fetched(`http://${PUBLIC}:${port}/`, { clock })).rejects.toMatchObject(refused("too long"));
    await first;
    await clock.advance(30_000);
    await slow;
    const stop = new AbortController();
    const second = new Promise<void>((resolve) => begun.push(resolve));
    const stopped = expect(fetched(`http://${PUBLIC}:${port}/`, {}, stop.signal)).rejects.toThrow("stopped");
    await second;
    stop.abort(new Error("stopped"));
    await stopped;
  });
});
