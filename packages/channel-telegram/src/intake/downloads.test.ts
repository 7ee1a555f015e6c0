import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { MediaRef } from "@trunkline/plugin-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTelegramHttp } from "../api/http.ts";
import { downloadMedia } from "./downloads.ts";
import { FILE_SCHEME } from "./media.ts";

const TOKEN = "123456789:AAExampleTokenThatNobodyElseMaySee";
const photo: MediaRef = { kind: "image", url: `${FILE_SCHEME}abc` };

/** A server of files; gives its address and the paths that it was asked for. */
async function server(answer: RequestListener) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

const download = (apiRoot: string, media = photo, path: unknown = "photos/1.jpg") =>
  createTelegramHttp(apiRoot).then((http) => {
    onTestFinished(() => http.close());
    const api = { ...http, call: async () => ({ file_path: path }) };
    return downloadMedia({ api, token: TOKEN }, media, { maxBytes: 1000, signal: new AbortController().signal });
  });

describe("a download", () => {
  it("comes from the Bot API server that is configured, also on this machine's network", async () => {
    const { url, asked } = await server((_request, response) => response.end("picture"));
    const { data } = await download(url);
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("picture");
    expect(asked).toEqual([`/file/bot${TOKEN}/photos/1.jpg`]);
  });

  it("follows no redirect: the token goes to nobody else", async () => {
    const elsewhere = await server((_request, response) => response.end("mine now"));
    const { url } = await server((request, response) => response.writeHead(302, { location: elsewhere.url + request.url }).end());
    const error: Error = await download(url).then(
      () => new Error("it came"),
      (failure: Error) => failure,
    );
    expect(error).toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain(TOKEN);
    expect(elsewhere.asked).toEqual([]);
  });

  it("that turns out to be a web page is no picture; a document may be one", async () => {
    const { url } = await server((_request, response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<p>"),
    );
    await expect(download(url)).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    await expect(download(url, { ...photo, kind: "document" })).resolves.toMatchObject({ fileName: "1.jpg" });
  });

  it.each(["../../etc/passwd", "a/../b", "/etc/passwd", "", null, 7])("of a file that is called %j is refused", async (path) => {
    const { url, asked } = await server((_request, response) => response.end());
    await expect(download(url, photo, path)).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    expect(asked).toEqual([]);
  });
});
