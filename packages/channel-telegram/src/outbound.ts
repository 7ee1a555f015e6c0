import { GatewayError, type ConversationRef, type MediaKind, type OutboundMedia, type OutboundPart } from "@trunkline/plugin-sdk";
import type { ApiRequest, LocalFile } from "./api/api.ts";
import { GENERAL_TOPIC } from "./conversation.ts";

/** Method and file field by kind of medium. Source: core.telegram.org/bots/api#available-methods. */
const MEDIA_METHODS: Readonly<Record<MediaKind, readonly [method: string, field: string]>> = {
  image: ["sendPhoto", "photo"],
  document: ["sendDocument", "document"],
  voice: ["sendVoice", "voice"],
  audio: ["sendAudio", "audio"],
  video: ["sendVideo", "video"],
  sticker: ["sendSticker", "sticker"],
};

/** Most media of one album. Source: core.telegram.org/bots/api#sendmediagroup. */
const ALBUM_LIMIT = 10;

/** The call that sends a part. Pure; `part.media` must already be of kinds that the platform takes as they are. */
export function toSendRequest(part: OutboundPart): ApiRequest {
  const [medium, ...more] = part.media ?? [];
  if (medium === undefined) return toTextRequest(part);
  return more.length === 0 ? toMediaRequest(part, medium) : toAlbumRequest(part, [medium, ...more]);
}

/** The call that gives a text message of ours another text. Pure. Source: core.telegram.org/bots/api#editmessagetext. */
export function toEditRequest(part: OutboundPart, messageId: string): ApiRequest {
  if (part.text === undefined || (part.media ?? []).length > 0)
    throw new GatewayError("DELIVERY_EDIT_GONE", { detail: { channel: "Telegram", reason: "a text message does not become a file" } });
  const { chat_id } = placeOf(part.conversation);
  const params = { chat_id, message_id: Number(messageId), text: part.text.text, ...markupOf("entities", part) };
  return { method: "editMessageText", params };
}

/** The call that takes a message of ours away. Pure. Source: core.telegram.org/bots/api#deletemessage. */
export function toRemoveRequest(conversation: ConversationRef, messageId: string): ApiRequest {
  const { chat_id } = placeOf(conversation);
  return { method: "deleteMessage", params: { chat_id, message_id: Number(messageId) } };
}

/** The call that shows "typing…". It lasts 5 s or until the next message. Source: core.telegram.org/bots/api#sendchataction. */
export function toTypingRequest(conversation: ConversationRef): ApiRequest {
  return { method: "sendChatAction", params: { ...placeOf(conversation), action: "typing" } };
}

/** The same call for another chat: a basic group that became a supergroup has a new id. Topics do not survive that. */
export function redirect(request: ApiRequest, chatId: string): ApiRequest {
  return { method: request.method, params: { ...request.params, chat_id: Number(chatId) } };
}

/** Chat and topic of a call. The topic General has to be left out. */
export function placeOf({ kind, id, threadId }: ConversationRef): Readonly<Record<string, unknown>> {
  const general = threadId === GENERAL_TOPIC && kind !== "direct";
  return { chat_id: Number(id), ...(threadId === undefined || general ? {} : { message_thread_id: Number(threadId) }) };
}

/** Text with entities: nothing to escape, and nothing that fails to parse; HTML only for an account that asks for it. Links are previewed as usual. */
function toTextRequest(part: OutboundPart): ApiRequest {
  if (part.text === undefined)
    throw new GatewayError("DELIVERY_REFUSED", { detail: { channel: "Telegram", reason: "the message is empty" } });
  return { method: "sendMessage", params: { ...frame(part), text: part.text.text, ...markupOf("entities", part) } };
}

function toMediaRequest(part: OutboundPart, medium: OutboundMedia): ApiRequest {
  // Stickers have no caption.
  const kind = medium.kind === "sticker" && part.text !== undefined ? "document" : medium.kind;
  const [method, field] = MEDIA_METHODS[kind];
  return { method, params: { ...frame(part), [field]: localFile(medium), ...captionOf(part) } };
}

/** Several media go as one album: photos and videos together, else all audio, else all as documents; the caption is the first one's. */
function toAlbumRequest(part: OutboundPart, media: readonly OutboundMedia[]): ApiRequest {
  if (media.length > ALBUM_LIMIT || media.some(({ kind }) => kind === "voice" || kind === "sticker")) {
    const reason = `an album has 2 to ${ALBUM_LIMIT} photos, videos, documents or audio files`;
    throw new GatewayError("DELIVERY_REFUSED", { detail: { channel: "Telegram", reason } });
  }
  const visual = media.every(({ kind }) => kind === "image" || kind === "video");
  const audio = media.every(({ kind }) => kind === "audio");
  const items = media.map((medium, index) => ({
    type: visual ? (medium.kind === "image" ? "photo" : "video") : audio ? "audio" : "document",
    media: localFile(medium),
    ...(index === 0 ? captionOf(part) : {}),
  }));
  return { method: "sendMediaGroup", params: { ...frame(part), media: items } };
}

/** Where it goes and what it answers. A quoted message that is gone must not cost the answer. */
function frame(part: OutboundPart): Readonly<Record<string, unknown>> {
  const replies = part.replyToId !== undefined && /^[1-9]\d{0,15}$/.test(part.replyToId);
  return {
    ...placeOf(part.conversation),
    ...(replies ? { reply_parameters: { message_id: Number(part.replyToId), allow_sending_without_reply: true } } : {}),
  };
}

function captionOf(part: OutboundPart): Readonly<Record<string, unknown>> {
  if (part.text === undefined || part.text.text === "") return {};
  return { caption: part.text.text, ...markupOf("caption_entities", part) };
}

function markupOf(field: string, part: OutboundPart): Readonly<Record<string, unknown>> {
  if (part.text?.markup === "html") return { parse_mode: "HTML" };
  const entities = part.text?.entities ?? [];
  return entities.length === 0 ? {} : { [field]: entities };
}

/** The client writes the name into a header without quotes: what would end or forge it goes, and so do direction overrides. */
function localFile({ path, fileName }: OutboundMedia): LocalFile {
  const name = fileName.replace(/[\p{Cc}\p{Bidi_Control}";\\/]/gu, "_").slice(0, 200);
  return { localFile: { path, fileName: name === "" ? "file" : name } };
}
