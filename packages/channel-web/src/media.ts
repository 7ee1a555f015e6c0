import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { OutboundMedia } from "@trunkline/plugin-sdk";

/** Pictures that a browser draws and that cannot run anything. An SVG can, so it is a download. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Answers with the bytes of a sent file: pictures to be shown, everything else as a download. Undefined when the file is gone. */
export async function serveMedia(medium: OutboundMedia): Promise<Response | undefined> {
  const file = await open(medium.path, "r").catch(() => undefined);
  if (file === undefined) return undefined;
  const stat = await file.stat();
  if (!stat.isFile()) {
    await file.close();
    return undefined;
  }
  const picture = PICTURES.has(medium.mimeType);
  const body = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
  return new Response(body, {
    headers: {
      "content-type": picture ? medium.mimeType : "application/octet-stream",
      "content-length": String(stat.size),
      "content-disposition": `${picture ? "inline" : "attachment"}; filename*=UTF-8''${encodeName(medium.fileName)}`,
      // Whatever the bytes are, they are a document without rights.
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, max-age=86400",
    },
  });
}

/** RFC 8187 leaves fewer characters alone than encodeURIComponent; lone surrogates would make that throw. */
function encodeName(name: string): string {
  const safe = name.replace(/\p{Surrogate}/gu, "_");
  return encodeURIComponent(safe).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
