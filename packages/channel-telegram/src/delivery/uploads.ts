import { stat } from "node:fs/promises";
import { GatewayError, type MediaKind, type OutboundMedia, type OutboundPart } from "@trunkline/plugin-sdk";
import { PUBLIC_API_ROOT } from "../config.ts";
import type { ApiFailure } from "../api/errors.ts";

/** Most bytes of a photo. Source: core.telegram.org/bots/api#sending-files. */
export const PHOTO_LIMIT = 10 * 1024 * 1024;

/** Most bytes of any file: 50 MB through the public API, 2000 MB through a local Bot API server. Source: as above, #using-a-local-bot-api-server. */
export const UPLOAD_LIMITS = { public: 50 * 1024 * 1024, local: 2000 * 1024 * 1024 } as const;

/** The part with files that exist and fit; a picture that is too big for a photo goes as a document. Rejects with DELIVERY_MEDIA_REFUSED. */
export async function checkUploads(part: OutboundPart, apiRoot: string): Promise<OutboundPart> {
  if (part.media === undefined || part.media.length === 0) return part;
  const limit = apiRoot === PUBLIC_API_ROOT ? UPLOAD_LIMITS.public : UPLOAD_LIMITS.local;
  return { ...part, media: await Promise.all(part.media.map((medium) => checkUpload(medium, limit))) };
}

/**
 * The part in the form that is still to be tried after the platform turned its medium down: photos with odd dimensions as documents,
 * voice notes as audio for people who allow none (Premium, Settings > Privacy). Undefined when nothing is left to try.
 */
export function withPlainerMedia(part: OutboundPart, failure: ApiFailure): OutboundPart | undefined {
  if (failure.kind !== "refused" || failure.code !== 400) return undefined;
  const refusedPhoto = /PHOTO_\w+|IMAGE_PROCESS_FAILED/.test(failure.description);
  const refusedVoice = /VOICE_MESSAGES_FORBIDDEN/.test(failure.description);
  const [from, to]: readonly [MediaKind, MediaKind] = refusedVoice ? ["voice", "audio"] : ["image", "document"];
  if (!(refusedPhoto || refusedVoice) || !part.media?.some(({ kind }) => kind === from)) return undefined;
  return { ...part, media: part.media.map((medium) => (medium.kind === from ? { ...medium, kind: to } : medium)) };
}

async function checkUpload(medium: OutboundMedia, limit: number): Promise<OutboundMedia> {
  const size = await stat(medium.path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
  if (size === 0) throw refuse(medium, "the file is missing, empty or not readable");
  if (size > limit) throw refuse(medium, `the file has ${size} bytes, and ${limit} is the most`);
  return medium.kind === "image" && size > PHOTO_LIMIT ? { ...medium, kind: "document" } : medium;
}

function refuse(medium: OutboundMedia, reason: string): GatewayError {
  return new GatewayError("DELIVERY_MEDIA_REFUSED", { detail: { channel: "Telegram", file: medium.fileName, reason } });
}
