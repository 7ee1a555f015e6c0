import { isDeepStrictEqual } from "node:util";
import { readMarkup } from "../markup.ts";
import type { StoredMessage } from "../messages.ts";
import type { Params } from "../params.ts";
import { badRequest } from "../refusal.ts";
import { findChat } from "../target.ts";
import { readFormatting, storeCaption, storeMessageText } from "../text/formatted-text.ts";
import type { WireMessage } from "../wire.ts";
import { republish, unpublish, wireDate, type World } from "../world.ts";
import type { Answer, Method } from "./method.ts";
import { readText } from "./send-text.ts";

// Source: td MessagesManager.cpp by way of telegram-bot-api Client.cpp, MESSAGE_NOT_MODIFIED.
const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
// Source: core.telegram.org/bots/api#deletemessage.
const DELETABLE_MS = 48 * 3_600_000;

/** editMessageText: an omitted reply_markup takes the keyboard away. Source: core.telegram.org/bots/api#editmessagetext. */
export const editMessageText: Method = ({ world, params }) => {
  const read = readText(world, params);
  const markup = readMarkup(params);
  const old = findOwn(world, params);
  if (old.wire.text === undefined) throw badRequest("there is no text in the message to edit");
  const { text, entities } = storeMessageText(read);
  return change(world, old, { text, ...(entities.length === 0 ? {} : { entities }) }, ["text", "entities"], markup);
};

/** editMessageCaption. */
export const editMessageCaption: Method = ({ world, params }) => {
  const sent = {
    text: params.text("caption"),
    parseMode: params.text("parse_mode"),
    entities: params.json("caption_entities", "caption entities"),
  };
  const read = readFormatting(sent, world.chats.findUser);
  const markup = readMarkup(params);
  const old = findOwn(world, params);
  if (old.wire.text !== undefined) throw badRequest("there is no caption in the message to edit");
  const { text, entities } = storeCaption(read);
  const caption = { ...(text === "" ? {} : { caption: text }), ...(entities.length === 0 ? {} : { caption_entities: entities }) };
  return change(world, old, caption, ["caption", "caption_entities"], markup);
};

/**
 * editMessageReplyMarkup. The same markup is "not modified", a message of someone else "can't be edited", a missing one
 * "not found": so the call tells whether an id is ours.
 */
export const editMessageReplyMarkup: Method = ({ world, params }) => {
  const markup = readMarkup(params);
  return change(world, findOwn(world, params), {}, [], markup);
};

/** deleteMessage: own messages, and any in private chats, for 48 hours. Source: core.telegram.org/bots/api#deletemessage. */
export const deleteMessage: Method = ({ world, params }) => {
  const chat = findChat(world, params);
  const message = world.messages.find(chat.id, params.integer("message_id", 0));
  if (message === undefined) throw badRequest("message to delete not found");
  if (message.from === "user" && chat.wire.type !== "private") throw badRequest("message can't be deleted");
  if (world.clock.now() - message.at > DELETABLE_MS) throw badRequest("message can't be deleted for everyone");
  unpublish(world, message);
  return { result: true };
};

function findOwn(world: World, params: Params): StoredMessage {
  if (params.text("chat_id") === "" && params.text("inline_message_id") === "") throw badRequest("message identifier is not specified");
  const chat = findChat(world, params);
  const access = world.chats.sendRefusal(chat.id, "text messages");
  if (access !== undefined && (access.code === 403 || access.parameters !== undefined)) throw access;
  if (params.text("message_id") === "") throw badRequest("message identifier is not specified");
  const message = world.messages.find(chat.id, params.integer("message_id", 0));
  if (message === undefined) throw badRequest("message to edit not found");
  if (message.from !== "bot") throw badRequest("message can't be edited");
  return message;
}

function change(world: World, old: StoredMessage, fields: Partial<WireMessage>, replaced: readonly string[], markup: unknown): Answer {
  const dropped = new Set([...replaced, "reply_markup", "edit_date"]);
  const rest = Object.fromEntries(Object.entries(old.wire).filter(([name]) => !dropped.has(name)));
  const next = { ...rest, ...fields, ...(markup === undefined ? {} : { reply_markup: markup }) } as WireMessage;
  const { edit_date: _date, ...before } = old.wire;
  if (isDeepStrictEqual(next, before)) throw badRequest(NOT_MODIFIED);
  const wire: WireMessage = { ...next, edit_date: wireDate(world) };
  republish(world, old, wire);
  return { result: wire, messages: [wire] };
}
