import type { UploadedFile } from "./params.ts";

/** The fields and files of a form. */
export interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

const HEADER_END = Buffer.from("\r\n\r\n");

/**
 * Reads a multipart/form-data body; undefined when it is broken.
 * Written by hand because bot libraries take liberties that strict parsers refuse: grammY sends no blank after the
 * semicolons and leaves file names unquoted, and the real server (td HttpReader.cpp) takes both.
 */
export function parseMultipart(body: Buffer, contentType: string): MultipartForm | undefined {
  const match = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return undefined;
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const first = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let at = body.indexOf(first);
  if (at === -1) return undefined;
  at += first.length;
  // After a delimiter comes CRLF and a part, or "--" and the end.
  while (body.toString("latin1", at, at + 2) === "\r\n") {
    const headerEnd = body.indexOf(HEADER_END, at);
    const end = headerEnd === -1 ? -1 : body.indexOf(delimiter, headerEnd + 2);
    if (end === -1) return undefined;
    const start = Math.min(headerEnd + HEADER_END.length, end);
    if (!addPart(body.toString("utf8", at + 2, headerEnd), body.subarray(start, end), fields, files)) return undefined;
    at = end + delimiter.length;
  }
  return body.toString("latin1", at, at + 2) === "--" ? { fields, files } : undefined;
}

function addPart(headers: string, content: Buffer, fields: Map<string, string>, files: Map<string, UploadedFile>): boolean {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
  const name = parameter(disposition, "name");
  if (name === undefined) return false;
  const fileName = parameter(disposition, "filename");
  if (fileName === undefined) {
    fields.set(name, content.toString("utf8"));
  } else {
    const mimeType = /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1];
    files.set(name, { name: fileName, mimeType, bytes: Uint8Array.from(content) });
  }
  return true;
}

function parameter(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\r\\n]*))`, "i").exec(disposition);
  return match === null ? undefined : (match[1]?.replace(/\\(["\\])/g, "$1") ?? match[2]?.trim());
}
