import { beforeEach, describe, expect, it } from "vitest";
import { ANN, clientId, createFakeGateway, type FakeGateway, openTab, OWNER } from "../test-support/rig.ts";

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
const HTML = new TextEncoder().encode("<script>alert(1)</script>");

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await createFakeGateway();
});

const upload = (bytes: Uint8Array, name: string, type = "", who = ANN) =>
  gateway.call(`/web/uploads?name=${encodeURIComponent(name)}&type=${encodeURIComponent(type)}`, bytes, who);

describe("an upload", () => {
  it("becomes a ticket, the ticket a medium of a message, and the medium its bytes for whoever runs the turn", async () => {
    const { status, body } = await upload(PNG, "C:\\photos\\cat.png");
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "cat.png", kind: "image", mimeType: "image/png", size: PNG.byteLength });
    expect((await gateway.post(clientId(1), "", ANN, { files: [body.ticket] })).status).toBe(202);
    const [media] = gateway.stored[0]?.inbound?.media ?? [];
    expect(media).toEqual({
      kind: "image",
      url: expect.stringMatching(/^channel:[0-9a-f]{64}$/),
      fileName: "cat.png",
      mimeType: "image/png",
      size: 12,
    });
    const signal = new AbortController().signal;
    const fetched = await gateway.transport.fetchMedia?.(media!, { maxBytes: 100, signal });
    const chunks: Uint8Array[] = [];
    for await (const chunk of fetched?.data ?? []) chunks.push(chunk);
    expect(new Uint8Array(Buffer.concat(chunks))).toEqual(PNG);
    await expect(gateway.transport.fetchMedia?.(media!, { maxBytes: 3, signal })).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    expect((await gateway.get("/web/conversations")).body.list[0].title).toBe("cat.png");
  });

  it("is shown again to its own visitor alone, pictures as such and everything else as a download without rights", async () => {
    const picture = (await upload(PNG, "cat.png")).body.ticket;
    const page = (await upload(HTML, "page.html", "text/html")).body.ticket;
    await gateway.post(clientId(1), "see", ANN, { files: [picture, page] });
    const { data } = await (await openTab(gateway, "a")).next();
    const [first, second] = data.messages[0].media;
    const shown = await gateway.request(`/${first.url}`);
    expect(shown?.headers.get("content-type")).toBe("image/png");
    expect(shown?.headers.get("content-disposition")).toMatch(/^inline/);
    const saved = await gateway.request(`/${second.url}`);
    expect(saved?.headers.get("content-type")).toBe("application/octet-stream");
    expect(saved?.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''page.html");
    for (const response of [shown, saved]) {
      expect(response?.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(response?.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(await saved?.text()).toBe(new TextDecoder().decode(HTML));
    for (const path of [`/${first.url}`, `/web/uploads/${picture}`]) {
      expect((await gateway.request(path))?.status, path).toBe(200);
      expect((await gateway.request(path, { who: OWNER }))?.status, path).toBe(404);
      expect((await gateway.request(path, { who: null }))?.status, path).toBe(401);
    }
  });

  it("of somebody else cannot be attached, nor one that never was", async () => {
    const { ticket } = (await upload(PNG, "cat.png", "", OWNER)).body;
    for (const files of [[ticket], ["x"], [`${ticket}x`]])
      expect((await gateway.post(clientId(1), "mine?", ANN, { files })).status).toBe(400);
    for (const files of ["x", [1], Array.from({ length: 11 }, () => ticket)])
      expect((await gateway.call("/web/messages", { clientId: clientId(1), text: "x", files }, OWNER)).status).toBe(400);
    expect(gateway.stored).toEqual([]);
  });

  it("is refused when it is empty, too large, or one too many", async () => {
    expect((await upload(new Uint8Array(), "x")).status).toBe(400);
    expect((await upload(new Uint8Array(20 * 1024 * 1024 + 1), "x")).status).toBe(413);
    for (let n = 0; n < 60; n += 1) await upload(PNG, "x");
    expect((await upload(PNG, "x")).status).toBe(429);
  });

  it("keeps its ticket over a restart of the gateway", async () => {
    const memory = new Map<string, string>();
    const before = await createFakeGateway("main", memory);
    const { ticket } = (await before.call("/web/uploads?name=x", PNG)).body;
    const after = await createFakeGateway("main", memory);
    expect((await after.post(clientId(1), "", ANN, { files: [ticket] })).status).toBe(202);
  });
});
