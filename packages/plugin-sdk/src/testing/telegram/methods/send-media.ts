import type { FileKind } from "../files.ts";
import { readMarkup } from "../markup.ts";
import { mediaFields, readFile } from "../media.ts";
import type { Params } from "../params.ts";
import { badRequest } from "../refusal.ts";
import { placeMessage, type Placement } from "../target.ts";
import { readFormatting, storeCaption } from "../text/formatted-text.ts";
import type { FormattedText, WireMessage } from "../wire.ts";
import { publish, wireDate, type World } from "../world.ts";
import type { Method } from "./method.ts";

/** Items of one album at most. Source: core.telegram.org/bots/api#sendmediagroup. */
export const ALBUM_LIMIT = 10;

/** sendPhoto. */
export const sendPhoto = sendOne("photo", "photos");
/** sendDocument. */
export const sendDocument = sendOne("document", "documents");
/** sendVoice. */
export const sendVoice = sendOne("voice", "voice notes");
/** sendAudio. */
export const sendAudio = sendOne("audio", "audios");
/** sendVideo. */
export const sendVideo = sendOne("video", "videos");

/** sendMediaGroup: photos and videos mix, documents and audios stay alone. Source: as above. */
export const sendMediaGroup: Method = ({ world, params }) => {
  const items = readItems(world, params);
  const placement = placeMessage(world, params, "photos");
  const captions = items.map((item) => storeCaption(item.caption));
  const album = items.length > 1 ? { media_group_id: `${wireDate(world)}${world.chats.newestMessageId(placement.chat.id)}` } : {};
  const messages = items.map(
    (item, index) => publish(world, mediaMessage(world, placement, item.media, captions[index] as FormattedText, album), "bot").wire,
  );
  return { result: messages, messages };
};

function sendOne(kind: FileKind, what: string): Method {
  return ({ world, params }) => {
    const file = readFile(world, params, kind, params.text(kind), kind);
    const caption = readCaption(world, {
      text: params.text("caption"),
      parseMode: params.text("parse_mode"),
      entities: params.json("caption_entities", "caption entities"),
    });
    const markup = readMarkup(params);
    const placement = placeMessage(world, params, what);
    const extra = markup === undefined ? {} : { reply_markup: markup };
    const message = mediaMessage(world, placement, mediaFields(file), storeCaption(caption), extra);
    publish(world, message, "bot");
    return { result: message, messages: [message] };
  };
}

interface AlbumItem {
  readonly media: Readonly<Record<string, unknown>>;
  readonly caption: FormattedText;
}

function readItems(world: World, params: Params): AlbumItem[] {
  const list = params.json("media", "media");
  if (list === undefined) throw badRequest(`Parameter "media" is required`);
  if (!Array.isArray(list)) throw badRequest("Expected an Array of InputMedia");
  if (list.length === 0) throw badRequest("There are no messages to send");
  if (list.length > ALBUM_LIMIT) throw badRequest("Too many messages to send as an album");
  const kinds = new Set<string>();
  const items = list.map((entry: unknown) => {
    const fields = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const kind = String(fields["type"] ?? "");
    if (!isAlbumKind(kind)) throw badRequest("Can't parse InputMedia: Type of the media is not supported in an album");
    kinds.add(kind);
    const file = readFile(world, params, kind, String(fields["media"] ?? ""), kind);
    const caption = {
      text: String(fields["caption"] ?? ""),
      parseMode: String(fields["parse_mode"] ?? ""),
      entities: fields["caption_entities"],
    };
    return { media: mediaFields(file), caption: readCaption(world, caption) };
  });
  const alone = kinds.has("document") ? "document" : kinds.has("audio") ? "audio" : undefined;
  if (kinds.size > 1 && alone !== undefined) throw badRequest(`${alone} can't be mixed with other media types`);
  return items;
}

function isAlbumKind(kind: string): kind is FileKind {
  return ["photo", "video", "document", "audio"].includes(kind);
}

function readCaption(world: World, sent: { text: string; parseMode: string; entities: unknown }): FormattedText {
  return readFormatting(sent, world.chats.findUser);
}

function mediaMessage(
  world: World,
  { chat, fields }: Placement,
  media: Readonly<Record<string, unknown>>,
  caption: FormattedText,
  extra: Readonly<Record<string, unknown>>,
): WireMessage {
  return {
    message_id: world.chats.nextMessageId(chat.id),
    date: wireDate(world),
    chat: chat.wire,
    from: world.bot,
    ...fields,
    ...media,
    ...(caption.text === "" ? {} : { caption: caption.text }),
    ...(caption.entities.length === 0 ? {} : { caption_entities: caption.entities }),
    ...extra,
  };
}
