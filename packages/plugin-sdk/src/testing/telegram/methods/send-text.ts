import { readMarkup } from "../markup.ts";
import type { Params } from "../params.ts";
import { badRequest, forbidden } from "../refusal.ts";
import { checkThread, findChat, placeMessage } from "../target.ts";
import { TEXT_LIMIT, readFormatting, storeMessageText, storeText } from "../text/formatted-text.ts";
import type { FormattedText, WireMessage } from "../wire.ts";
import { publish, wireDate, type World } from "../world.ts";
import type { Method } from "./method.ts";

/** sendMessage. Source: core.telegram.org/bots/api#sendmessage; the order of the checks: telegram-bot-api Client.cpp. */
export const sendMessage: Method = ({ world, params }) => {
  const read = readText(world, params);
  const markup = readMarkup(params);
  const { chat, fields } = placeMessage(world, params, "text messages");
  const { text, entities } = storeMessageText(read);
  const message: WireMessage = {
    message_id: world.chats.nextMessageId(chat.id),
    date: wireDate(world),
    chat: chat.wire,
    from: world.bot,
    ...fields,
    text,
    ...(entities.length === 0 ? {} : { entities }),
    ...(markup === undefined ? {} : { reply_markup: markup }),
  };
  publish(world, message, "bot");
  return { result: message, messages: [message] };
};

/**
 * sendMessageDraft: a preview that leaves nothing behind, in private chats alone.
 * Source: core.telegram.org/bots/api#sendmessagedraft. The wording of its refusals is not verified.
 */
export const sendMessageDraft: Method = ({ world, params }) => {
  if (params.integer("draft_id", 0) === 0) throw badRequest("DRAFT_ID_INVALID");
  const chat = findChat(world, params);
  if (chat.wire.type !== "private") throw badRequest("PEER_ID_INVALID");
  const refusal = world.chats.sendRefusal(chat.id, "text messages");
  if (refusal !== undefined) throw refusal;
  checkThread(world, chat, params);
  const { text } = storeText(readSent(world, params));
  if (text.length > TEXT_LIMIT) throw badRequest("message is too long");
  world.audit.recordSeen({ kind: "draft", chatId: chat.id, from: "bot", text, at: world.clock.now() });
  world.signal.notify();
  return { result: true };
};

const ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

/** sendChatAction. Source: core.telegram.org/bots/api#sendchataction. */
export const sendChatAction: Method = ({ world, params }) => {
  const action = params.text("action").toLowerCase();
  if (!ACTIONS.has(action)) throw badRequest("wrong parameter action in request");
  const chat = findChat(world, params);
  const refusal = world.chats.sendRefusal(chat.id, "text messages");
  if (refusal !== undefined) throw refusal;
  // Unlike on a send, the General topic may be named here. Field report: openclaw keeps id 1 on typing.
  if (!(chat.wire.is_forum && params.integer("message_thread_id", 0) === 1)) checkThread(world, chat, params);
  world.audit.recordSeen({ kind: "action", chatId: chat.id, from: "bot", text: action, at: world.clock.now() });
  world.signal.notify();
  return { result: true };
};

/** getChat. */
export const getChat: Method = ({ world, params }) => {
  const chat = findChat(world, params);
  if (world.chats.sendRefusal(chat.id, "text messages")?.code === 403) throw forbidden("bot is not a member of the chat");
  return { result: { ...chat.wire, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: {} } };
};

/** Reads the text of a message that must have one. @throws Refusal 400. */
export function readText(world: World, params: Params): FormattedText {
  if (params.text("text") === "") throw badRequest("Message text is empty");
  return readSent(world, params);
}

function readSent(world: World, params: Params): FormattedText {
  const sent = { text: params.text("text"), parseMode: params.text("parse_mode"), entities: params.json("entities", "entities") };
  return readFormatting(sent, world.chats.findUser);
}
