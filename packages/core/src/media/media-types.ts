import type { MediaKind } from "@trunkline/plugin-sdk";

/** Media types by file suffix, for what agents write; anything else is a plain document. */
const TYPES: Readonly<Record<string, readonly [mimeType: string, kind: MediaKind]>> = {
  jpg: ["image/jpeg", "image"],
  jpeg: ["image/jpeg", "image"],
  png: ["image/png", "image"],
  webp: ["image/webp", "image"],
  gif: ["image/gif", "document"],
  mp3: ["audio/mpeg", "audio"],
  m4a: ["audio/mp4", "audio"],
  ogg: ["audio/ogg", "audio"],
  mp4: ["video/mp4", "video"],
  pdf: ["application/pdf", "document"],
  txt: ["text/plain", "document"],
  md: ["text/markdown", "document"],
  csv: ["text/csv", "document"],
  json: ["application/json", "document"],
  zip: ["application/zip", "document"],
};

/** The type and kind of a file by its name. Pure. */
export function mediaTypeOf(fileName: string): { readonly mimeType: string; readonly kind: MediaKind } {
  const suffix = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  const [mimeType, kind] = TYPES[suffix] ?? ["application/octet-stream", "document"];
  return { mimeType, kind };
}

/** What is shown, and not only handed over: of these a file without a suffix gets the one that its type has. */
const SHOWN = /^(?:image|audio|video)\/|^application\/pdf$/;

/** The suffix of a type that is shown; undefined for every other. Pure. */
export function suffixOf(mimeType: string): string | undefined {
  return SHOWN.test(mimeType) ? Object.keys(TYPES).find((suffix) => TYPES[suffix]?.[0] === mimeType) : undefined;
}
