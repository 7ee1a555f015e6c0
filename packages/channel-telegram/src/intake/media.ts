import type { MediaKind, MediaRef } from "@trunkline/plugin-sdk";
import type { Message, PhotoSize } from "grammy/types";

/** Prefix of a medium that is still on the platform; what follows is its file_id. */
export const FILE_SCHEME = "channel:";

interface PlatformFile {
  readonly file_id: string;
  readonly file_name?: string | undefined;
  readonly mime_type?: string | undefined;
  readonly file_size?: number | undefined;
}

/** The files of a message, by reference. A message has at most one; the list is empty or of one. */
export function findMedia(message: Message): readonly MediaRef[] {
  const { photo, animation, video, video_note, voice, audio, sticker, document } = message;
  if (photo !== undefined && photo.length > 0) return [reference("image", largest(photo), "image/jpeg")];
  // For old clients an animation is a document as well: the order decides.
  if (animation !== undefined) return [reference("video", animation, "video/mp4")];
  if (video !== undefined) return [reference("video", video, "video/mp4")];
  if (video_note !== undefined) return [reference("video", video_note, "video/mp4")];
  if (voice !== undefined) return [reference("voice", voice, "audio/ogg")];
  if (audio !== undefined) return [reference("audio", audio, "audio/mpeg")];
  if (sticker !== undefined) return [reference("sticker", sticker, stickerType(sticker))];
  if (document !== undefined) return [reference("document", document)];
  return [];
}

function reference(kind: MediaKind, file: PlatformFile, usualType?: string): MediaRef {
  const mimeType = file.mime_type ?? usualType;
  return {
    kind,
    url: FILE_SCHEME + file.file_id,
    ...(file.file_name === undefined ? {} : { fileName: file.file_name }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(file.file_size === undefined ? {} : { size: file.file_size }),
  };
}

/** The biggest of the sizes in which the platform keeps a photo; they are usually sorted, but nothing promises it. */
function largest(sizes: readonly PhotoSize[]): PhotoSize {
  return sizes.reduce((best, size) => (size.width * size.height > best.width * best.height ? size : best));
}

function stickerType(sticker: NonNullable<Message["sticker"]>): string {
  if (sticker.is_video) return "video/webm";
  return sticker.is_animated ? "application/x-tgsticker" : "image/webp";
}
