import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { ChannelHost, HistoryEntry, OutboundMedia } from "@trunkline/plugin-sdk";
import { mediaIdOf } from "./ticket.ts";

/** Pictures that a browser draws and that cannot run anything. An SVG can, so it is a download. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** A file to answer with. */
export interface ServedFile {
  readonly name: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly data: AsyncIterable<Uint8Array>;
}

/** Answers with a file: a picture to be shown, everything else as a download. Whatever the bytes are, they are a document without rights. */
export function serveFile(file: ServedFile): Response {
  const picture = PICTURES.has(file.mimeType);
  return new Response(toStream(file.data), {
    headers: {
      "content-type": picture ? file.mimeType : "application/octet-stream",
      "content-length": String(file.size),
      "content-disposition": `${picture ? "inline" : "attachment"}; filename*=UTF-8''${encodeName(file.name)}`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400",
    },
  });
}

/** The n-th file of a message, sent or received; undefined when there is none or it is gone. */
export async function fileOf(entry: Pick<HistoryEntry, "part" | "inbound">, n: number, host: ChannelHost): Promise<ServedFile | undefined> {
  const sent = entry.part?.media?.[n];
  if (sent !== undefined) return sentFile(sent);
  const received = entry.inbound?.media[n];
  const kept = received && (await host.openMedia(mediaIdOf(received) ?? ""));
  if (received === undefined || kept === undefined) return undefined;
  return { name: received.fileName ?? received.kind, mimeType: received.mimeType ?? "", size: kept.size, data: kept.data };
}

async function sentFile({ path, fileName, mimeType }: OutboundMedia): Promise<ServedFile | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isFile() ? { name: fileName, mimeType, size: info.size, data: createReadStream(path) } : undefined;
}

function toStream(data: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = data[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    // Who closes the tab in the middle leaves no file open.
    cancel: async () => void (await chunks.return?.()),
  });
}

/** RFC 8187 leaves fewer characters alone than encodeURIComponent; lone surrogates would make that throw. */
function encodeName(name: string): string {
  const safe = name.replace(/\p{Surrogate}/gu, "_");
  return encodeURIComponent(safe).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
