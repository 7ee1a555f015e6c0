import type { IncomingMessage } from "node:http";
import { parseMultipart } from "./multipart.ts";
import { Params, type UploadedFile } from "./params.ts";
import { Refusal, badRequest } from "./refusal.ts";

/** Largest request. Unit: bytes. Uploads up to 50 MB are allowed; beyond, nginx answers 413. Source: core.telegram.org/bots/api#sending-files. */
export const REQUEST_LIMIT = 52 * 1024 * 1024;

/** Where a request goes: a method, or a file. */
export type Route =
  | { readonly kind: "method"; readonly token: string; readonly method: string }
  | { readonly kind: "file"; readonly token: string; readonly path: string };

/** Reads `/bot<token>/<method>` and `/file/bot<token>/<path>`; undefined for any other path. */
export function parseRoute(path: string): Route | undefined {
  const file = /^\/file\/bot([^/]*)\/(.+)$/.exec(path);
  if (file !== null) return { kind: "file", token: decode(file[1]), path: decode(file[2]) };
  const method = /^\/bot([^/]*)\/([^/]+)\/?$/.exec(path);
  return method === null ? undefined : { kind: "method", token: decode(method[1]), method: decode(method[2]) };
}

/** Reads a whole body. @throws Refusal 413 beyond the limit; rejects when the connection breaks. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read on, so that the caller gets the answer instead of a broken pipe; the bytes are thrown away.
    if (size <= REQUEST_LIMIT) chunks.push(chunk);
  }
  if (size > REQUEST_LIMIT) throw new Refusal(413, "Request Entity Too Large");
  return Buffer.concat(chunks, size);
}

/** Gathers the parameters from the query and from a JSON, urlencoded or multipart body. @throws Refusal 400 for a broken body. */
export function parseParams(query: URLSearchParams, contentType: string, body: Buffer): Params {
  const values = new Map<string, unknown>(query);
  const files = new Map<string, UploadedFile>();
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json" && body.length > 0) {
    for (const [name, value] of Object.entries(parseObject(body))) values.set(name, value);
  } else if (type === "application/x-www-form-urlencoded") {
    for (const [name, value] of new URLSearchParams(body.toString("utf8"))) values.set(name, value);
  } else if (type === "multipart/form-data") {
    const form = parseMultipart(body, contentType);
    if (form === undefined) throw badRequest("Can't parse multipart form data");
    for (const [name, value] of form.fields) values.set(name, value);
    for (const [name, file] of form.files) files.set(name, file);
  }
  return new Params(values, files);
}

function parseObject(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Falls through: a broken body and a body that is no object are answered alike.
  }
  throw badRequest("Can't parse JSON object");
}

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return part ?? "";
  }
}
