import type { MediaKind } from "@trunkline/plugin-sdk";

/** Bytes at the start of a file that tell a picture. */
export const MAGIC_BYTES = 12;

/** Types that a browser may claim; anything else is bytes. */
const TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/;

/**
 * What a file is. A picture is known by its first bytes and by nothing else, since agents are shown pictures as such and a wrong type
 * would make a model refuse the whole message. For other files the browser's word is kept. Pure.
 */
export function fileKind(head: Uint8Array, claimed: string): { readonly kind: MediaKind; readonly mimeType: string } {
  const picture = pictureType(head);
  // AV1 pictures are shown here, but models do not take them.
  if (picture !== undefined) return { kind: picture === "image/avif" ? "document" : "image", mimeType: picture };
  const type = claimed.toLowerCase().split(";")[0]?.trim() ?? "";
  if (!TYPE.test(type) || type.startsWith("image/")) return { kind: "document", mimeType: "application/octet-stream" };
  if (type.startsWith("audio/")) return { kind: "audio", mimeType: type };
  if (type.startsWith("video/")) return { kind: "video", mimeType: type };
  return { kind: "document", mimeType: type };
}

/** The file signatures of the WHATWG's MIME Sniffing standard, section 6.1; AVIF's from its specification, section 6.2. */
function pictureType(head: Uint8Array): string | undefined {
  const ascii = String.fromCharCode(...head.subarray(0, MAGIC_BYTES));
  if (ascii.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (ascii.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(ascii)) return "image/gif";
  if (/^RIFF[^]{4}WEBP/.test(ascii)) return "image/webp";
  return /^[^]{4}ftypavi[fs]/.test(ascii) ? "image/avif" : undefined;
}
