import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutboundMedia } from "@trunkline/plugin-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientId, createFakeGateway, type FakeGateway, openTab, OWNER, VISITOR } from "../test-support/rig.ts";
import { TEXT_LIMIT } from "./inbound.ts";

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await createFakeGateway();
});

describe("a message from the page", () => {
  it("is answered with 202 once it is durable, with its time and inbox id", async () => {
    const response = await gateway.post(clientId(1), "hello\r\nworld");
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ id: `in_${clientId(1)}`, duplicate: false, at: gateway.clock.now() });
    expect(gateway.stored[0]?.inbound).toEqual({
      kind: "message",
      id: clientId(1),
      conversation: { channel: "web", account: "main", kind: "direct", id: VISITOR },
      sender: { id: VISITOR, isBot: false, isSelf: false, trust: "authorised" },
      text: "hello\nworld",
      media: [],
      mentions: { bot: false, others: [] },
      sentAt: gateway.clock.now(),
    });
  });

  it("is the owner's when it came with the admin token", async () => {
    await gateway.post(clientId(1), "hello", OWNER);
    expect(gateway.stored[0]?.inbound?.sender).toMatchObject({ id: OWNER.visitor, trust: "owner" });
  });

  it("is the same message however often it is sent", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await Promise.all([gateway.post(clientId(1), "once"), gateway.post(clientId(1), "once")]);
    const repeat = await gateway.post(clientId(1), "once");
    expect(repeat.status).toBe(202);
    expect(await repeat.json()).toEqual({ id: `in_${clientId(1)}`, duplicate: true });
    await gateway.post(clientId(2), "two");
    expect([(await tab.next()).data.text, (await tab.next()).data.text]).toEqual(["once", "two"]);
    expect(gateway.stored).toHaveLength(2);
  });

  it("is not acknowledged when it could not be stored, and nobody is told of it", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    gateway.full = true;
    const response = await gateway.post(clientId(1), "lost?");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    gateway.full = false;
    expect((await gateway.post(clientId(1), "lost?")).status).toBe(202);
    expect((await tab.next()).data.id).toBe(clientId(1));
  });

  it("may be 256 kB long, and no longer", async () => {
    expect((await gateway.post(clientId(1), "é".repeat(TEXT_LIMIT / 2))).status).toBe(202);
    const refused = await gateway.post(clientId(2), "é".repeat(TEXT_LIMIT / 2) + "x");
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual({ error: { message: "The message is too long: at most 256 kB of text." } });
  });

  it.each([
    ["no JSON", undefined],
    ["null", null],
    ["no client id", { text: "x" }],
    ["a client id that is none", { clientId: "1", text: "x" }],
    ["no text", { clientId: clientId(1) }],
    ["text that is none", { clientId: clientId(1), text: { toString: "x" } }],
    ["nothing but blanks", { clientId: clientId(1), text: " \n\t" }],
    ["a conversation that is no name", { clientId: clientId(1), text: "x", c: 7 }],
  ])("is refused in words: %s", async (_what, body) => {
    const response = await gateway.request("/web/messages", { method: "POST", ...(body === undefined ? {} : { body }) });
    expect(response?.status).toBe(400);
    expect(await response?.json()).toEqual({ error: { message: expect.any(String) } });
    expect(gateway.stored).toEqual([]);
  });

  it("names a conversation that exists", async () => {
    const post = (c: string) => gateway.request("/web/messages", { method: "POST", body: { clientId: clientId(1), text: "x", c } });
    expect((await post("other"))?.status, "404 would be sent again").toBe(400);
    expect((await post("main"))?.status).toBe(202);
    expect((await gateway.request("/web/events?client=a&c=other"))?.status).toBe(404);
  });

  it("has half of a character replaced, which no database would take", async () => {
    await gateway.post(clientId(1), "a\uD800b");
    expect(gateway.stored[0]?.inbound?.text).toBe("a\uFFFDb");
  });
});

describe("the API", () => {
  it("is closed to whoever has no cookie", async () => {
    for (const [method, path] of [
      ["POST", "/web/messages"],
      ["GET", "/web/events?client=a"],
      ["POST", "/web/ack"],
      ["GET", "/web/media/k1/0"],
      ["GET", "/web/x"],
    ] as const) {
      const response = await rawRequest(gateway, method, path);
      expect(response?.status, path).toBe(401);
    }
  });

  it("leaves what is not its own to others", async () => {
    expect(await gateway.request("/metrics")).toBeUndefined();
    expect(await gateway.request("/web/other")).toBeUndefined();
    expect(await gateway.request("/", { method: "POST" })).toBeUndefined();
    expect(await gateway.request("/web/messages")).toBeUndefined();
  });

  it("wants a name for the tab", async () => {
    for (const query of ["", "?client=", "?client=a%20b", `?client=${"x".repeat(65)}`])
      expect((await gateway.request(`/web/events${query}`))?.status, query).toBe(400);
  });

  it("opens a stream to nobody who does not ask for one, as a picture on another page would", async () => {
    expect((await gateway.request("/web/events?client=a", { headers: { accept: "image/*,*/*" } }))?.status).toBe(406);
  });

  it("takes no nonsense for an acknowledgement", async () => {
    const ack = (body: unknown) => gateway.request("/web/ack", { method: "POST", body });
    for (const body of [null, [], { client: "a" }, { client: 1, seq: 1 }, { client: "a", seq: "1" }, { client: "a", seq: 1e99 }]) {
      expect((await ack(body))?.status, JSON.stringify(body)).toBe(400);
    }
    expect((await ack({ client: "nobody", seq: 1 }))?.status).toBe(204);
  });
});

/** A request without a cookie. */
const rawRequest = (target: FakeGateway, method: string, path: string): Promise<Response | undefined> =>
  target.request(path, { who: null, method });

describe("the page", () => {
  it("is served with its parts to everybody, loads nothing from elsewhere and runs nothing inline", async () => {
    const page = await rawRequest(gateway, "GET", "/");
    const html = (await page?.text()) ?? "";
    expect(page?.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html).not.toMatch(/https?:\/\/|<style|style=|\son\w+=|<script(?![^>]* src=)/);
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
    expect(parts).toContain("app.js");
    for (const name of parts) expect((await rawRequest(gateway, "GET", `/${name}`))?.status, name).toBe(200);
  });

  it("is not sent again when the browser has it", async () => {
    const etag = (await gateway.request("/app.js"))?.headers.get("etag") ?? "";
    const again = await gateway.request("/app.js", { headers: { "if-none-match": etag } });
    expect(again?.status).toBe(304);
    expect(await again?.text()).toBe("");
  });

  it("is all that is served of the disk", async () => {
    for (const path of [
      "/package.json",
      "/../package.json",
      "/%2e%2e/package.json",
      "/..%2fpackage.json",
      "/src/index.ts",
      "/app.js/",
      "//app.js",
    ]) {
      expect(await gateway.request(path), path).toBeUndefined();
    }
  });

  it("of a second account is below its name", async () => {
    const second = await createFakeGateway("sales");
    expect(second.routes).toEqual(["/@sales/", "/@sales/web/uploads"]);
    expect((await second.request("/@sales/"))?.status).toBe(200);
    expect((await second.request("/@sales/web/events?client=a"))?.status).toBe(200);
    expect(await second.request("/")).toBeUndefined();
    expect(gateway.routes).toEqual(["/", "/web/uploads"]);
  });
});

describe("files that the agent sends", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "trunkline-web-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function send(fileName: string, mimeType: string, bytes: string): Promise<string> {
    const path = join(folder, "stored");
    await writeFile(path, bytes);
    const media: OutboundMedia[] = [{ kind: mimeType.startsWith("image/") ? "image" : "document", path, fileName, mimeType }];
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.deliver("k1", "see", { media });
    const { data } = await tab.next();
    expect(JSON.stringify(data)).not.toContain(folder);
    return `/${data.media[0].url}`;
  }

  it("are shown when they are pictures, to their own visitor alone", async () => {
    const url = await send("cat.png", "image/png", "PNG");
    const response = await gateway.request(url);
    expect(response?.headers.get("content-type")).toBe("image/png");
    expect(await response?.text()).toBe("PNG");
    expect((await gateway.request(url, { who: OWNER }))?.status).toBe(404);
    expect((await gateway.request("/web/media/k1/1"))?.status).toBe(404);
    expect((await gateway.request("/web/media/nope/0"))?.status).toBe(404);
    expect(await gateway.request("/web/media/k1/..%2f0")).toBeUndefined();
  });

  it("are downloads without rights when they are anything else, an SVG included", async () => {
    const response = await gateway.request(await send('ü"\r\nx.svg', "image/svg+xml", "<svg onload=alert(1)>"));
    expect(response?.headers.get("content-type")).toBe("application/octet-stream");
    expect(response?.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''%C3%BC%22%0D%0Ax.svg");
    expect(response?.headers.get("content-security-policy")).toContain("sandbox");
    await response?.body?.cancel();
  });

  it("that are gone are a readable 404", async () => {
    const url = await send("cat.png", "image/png", "PNG");
    await rm(join(folder, "stored"));
    const response = await gateway.request(url);
    expect(response?.status).toBe(404);
    expect(await response?.text()).not.toContain(folder);
  });
});
