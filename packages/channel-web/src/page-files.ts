import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** The page is shipped beside the code, in source and in the build alike. */
const PUBLIC = new URL("../public/", import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** The files of the page by name. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Reads the page's files, a few dozen kB in all. Only these names are ever served: a request's path never reaches the disk. */
export async function readPageFiles(): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(PUBLIC)) {
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    const bytes = new Uint8Array(await readFile(new URL(name, PUBLIC)));
    files.set(name, { bytes, type, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` });
  }
  return files;
}

/** Answers with a file; browsers keep it and ask whether it changed. */
export function servePageFile(files: PageFiles, name: string, request: Request): Response | undefined {
  const file = files.get(name === "" ? "index.html" : name);
  if (file === undefined) return undefined;
  const headers = { "content-type": file.type, etag: file.etag, "cache-control": "no-cache" };
  if (request.headers.get("if-none-match") === file.etag) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : file.bytes, { headers });
}
