import { type HttpIdentity, isGatewayError } from "@trunkline/plugin-sdk";
import { refuse, tooFast } from "./answer.ts";
import { fileKind, MAGIC_BYTES } from "./file-kind.ts";
import { serveFile } from "./media.ts";
import type { WebSite } from "./site.ts";
import { openTicket, sealTicket } from "./ticket.ts";

/** Largest file. Unit: bytes; what the host keeps, and what models are given at most. */
export const UPLOAD_LIMIT = 20 * 1024 * 1024;
/** Longest name that is kept, in characters. */
const NAME_LIMIT = 200;
const TOO_LARGE = "The file is too large: at most 20 MB.";

/**
 * `POST web/uploads?name=&type=`, the body the file: streamed into the data folder, and answered with a ticket by which a message
 * attaches it. Nobody else can use the ticket.
 */
export async function takeUpload(request: Request, url: URL, who: HttpIdentity, site: WebSite): Promise<Response> {
  const wait = site.rates.uploads.take(who.visitor);
  if (wait > 0) return tooFast(wait);
  // The gateway has checked the announced length, and the host counts what comes.
  if (request.body === null) return refuse(400, "The file is empty.");
  const fileName = cleanName(url.searchParams.get("name") ?? "");
  const head: number[] = [];
  try {
    const kept = await site.host.saveMedia(keepingHead(request.body, head), fileName);
    if (kept.size === 0) return refuse(400, "The file is empty.");
    const upload = { ...kept, ...fileKind(Uint8Array.from(head), url.searchParams.get("type") ?? ""), fileName };
    const ticket = sealTicket(upload, who.visitor, site.ticketKey);
    return Response.json({ ticket, name: fileName, kind: upload.kind, mimeType: upload.mimeType, size: upload.size }, { status: 201 });
  } catch (error) {
    if (isGatewayError(error) && error.code === "DELIVERY_MEDIA_REFUSED") return refuse(413, TOO_LARGE);
    throw error;
  }
}

/** `GET web/uploads/TICKET`: the file again, for the browser that brought it. */
export async function showUpload(ticket: string, who: HttpIdentity, site: WebSite): Promise<Response> {
  const upload = openTicket(ticket, who.visitor, site.ticketKey);
  const kept = upload && (await site.host.openMedia(upload.id));
  return kept === undefined || upload === undefined
    ? refuse(404, "The file is no longer there.")
    : serveFile({ name: upload.fileName, mimeType: upload.mimeType, size: kept.size, data: kept.data });
}

/** The file as it comes, its first bytes noted on the way. */
async function* keepingHead(body: AsyncIterable<Uint8Array>, head: number[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (head.length < MAGIC_BYTES) head.push(...chunk.subarray(0, MAGIC_BYTES - head.length));
    yield chunk;
  }
}

/** The last part of a path, without what a name cannot have or what would mislead a reader. Pure. */
export function cleanName(given: string): string {
  const base = given.split(/[\\/]/).at(-1) ?? "";
  const clean = base.replace(/[\p{Cc}\p{Cf}\p{Surrogate}"<>|:*?]+/gu, " ").trim();
  if (clean.length <= NAME_LIMIT) return clean || "file";
  const dot = clean.lastIndexOf(".");
  const suffix = dot > 0 && clean.length - dot <= 12 ? clean.slice(dot) : "";
  return clean.slice(0, NAME_LIMIT - suffix.length) + suffix;
}
