import type { FileKind, StoredFile } from "./files.ts";
import { readImageSize, type ImageSize } from "./image.ts";
import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import type { World } from "./world.ts";

/** Largest photo. Unit: bytes. Source: core.telegram.org/bots/api#sending-files. */
export const PHOTO_LIMIT = 10 * 1024 * 1024;
/** Largest upload of any other kind. Unit: bytes. Source: as above. */
export const UPLOAD_LIMIT = 50 * 1024 * 1024;
// A photo's sides together, and how far they may differ. Source: core.telegram.org/bots/api#sendphoto.
const PHOTO_SIDES_LIMIT = 10_000;
const PHOTO_RATIO_LIMIT = 20;

/**
 * Finds the file of a send: uploaded under `field` or as attach://, or named by an earlier file_id.
 * @throws Refusal 400 when there is none, or the real server would not take it. Addresses on the web always fail: the
 * emulator has no network.
 */
export function readFile(world: World, params: Params, kind: FileKind, value: string, field: string): StoredFile {
  const attached = value.startsWith("attach://") ? params.file(value.slice("attach://".length)) : undefined;
  const upload = attached ?? (value === "" ? params.file(field) : undefined);
  if (upload === undefined) {
    if (value === "" || value.startsWith("attach://")) throw badRequest(`there is no ${kind} in the request`);
    if (/^https?:\/\//i.test(value)) throw badRequest("failed to get HTTP URL content");
    return world.files.reuse(value, kind);
  }
  const size = upload.bytes.byteLength;
  if (size === 0) throw badRequest("file must be non-empty");
  if (kind === "photo") checkPhoto(upload.bytes);
  else if (size > UPLOAD_LIMIT) throw badRequest("file is too big");
  return world.files.add(kind, upload.bytes, upload.name, upload.mimeType);
}

/** The fields of a message that carry a file. Source: core.telegram.org/bots/api#photosize, #document, #voice and others. */
export function mediaFields(file: StoredFile): Record<string, unknown> {
  const base = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.byteLength };
  const name = file.name === undefined ? {} : { file_name: file.name };
  const mime = file.mimeType === undefined ? {} : { mime_type: file.mimeType };
  const size = readImageSize(file.bytes) ?? { width: 90, height: 90 };
  switch (file.kind) {
    case "photo":
      return { photo: photoSizes(base, size) };
    case "document":
      return { document: { ...base, ...name, ...mime } };
    case "voice":
      return { voice: { ...base, duration: 1, ...mime } };
    case "audio":
      return { audio: { ...base, duration: 1, ...name, ...mime } };
    case "video":
      return { video: { ...base, duration: 1, ...size, ...name, ...mime } };
  }
}

function photoSizes(base: Readonly<Record<string, unknown>>, size: ImageSize): Record<string, unknown>[] {
  // The platform adds smaller copies; the largest comes last, and all share one file here.
  const small = { width: Math.min(90, size.width), height: Math.min(90, size.height) };
  return size.width > 90 || size.height > 90
    ? [
        { ...base, ...small },
        { ...base, ...size },
      ]
    : [{ ...base, ...size }];
}

function checkPhoto(bytes: Uint8Array): void {
  if (bytes.byteLength > PHOTO_LIMIT) {
    throw badRequest(`File of size ${bytes.byteLength} bytes is too big for a photo; the maximum size is ${PHOTO_LIMIT} bytes`);
  }
  const size = readImageSize(bytes) ?? webpSize(bytes);
  if (size === undefined) throw badRequest("IMAGE_PROCESS_FAILED");
  const { width, height } = size;
  if (width < 1 || height < 1 || width + height > PHOTO_SIDES_LIMIT || Math.max(width / height, height / width) > PHOTO_RATIO_LIMIT) {
    throw badRequest("PHOTO_INVALID_DIMENSIONS");
  }
}

// WebP is taken too; its size does not matter here.
function webpSize(bytes: Uint8Array): ImageSize | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString("latin1");
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? { width: 512, height: 512 } : undefined;
}
