import type { EmulatedChat } from "./chats.ts";
import type { StoredMessage } from "./messages.ts";
import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import { cleanText } from "./text/clean.ts";
import type { WireMessage } from "./wire.ts";
import { asReplied, type World } from "./world.ts";

/** The fields that place a message: its chat, topic and the message it answers. */
export interface Placement {
  readonly chat: EmulatedChat;
  readonly fields: Pick<WireMessage, "message_thread_id" | "is_topic_message" | "reply_to_message" | "quote">;
}

/** Finds the chat that `chat_id` names. @throws Refusal 400. Source: telegram-bot-api Client.cpp, `check_chat`. */
export function findChat(world: World, params: Params): EmulatedChat {
  const id = params.text("chat_id").trim();
  if (id === "") throw badRequest("chat_id is empty");
  const chat = id.startsWith("@") ? world.chats.findByName(id) : /^-?\d+$/.test(id) ? world.chats.find(Number(id)) : undefined;
  if (chat === undefined) throw badRequest("chat not found");
  return chat;
}

/**
 * Finds where a new message goes and checks that the bot may send `what` there.
 * @throws Refusal 400 or 403 for the chat, the topic or the replied message.
 */
export function placeMessage(world: World, params: Params, what: string): Placement {
  const chat = findChat(world, params);
  const refusal = world.chats.sendRefusal(chat.id, what);
  if (refusal !== undefined) throw refusal;
  const asked = checkThread(world, chat, params);
  const reply = readReply(world, chat, params);
  // A reply goes to the topic of the message it answers, also without message_thread_id.
  const thread = asked ?? (chat.wire.is_forum ? reply?.message.wire.message_thread_id : undefined);
  return {
    chat,
    fields: {
      ...(thread === undefined ? {} : { message_thread_id: thread }),
      ...(thread !== undefined && isTopic(chat) ? { is_topic_message: true as const } : {}),
      ...(reply === undefined ? {} : { reply_to_message: asReplied(reply.message.wire) }),
      ...(reply?.quote === undefined ? {} : { quote: reply.quote }),
    },
  };
}

/**
 * Checks `message_thread_id`; undefined when absent. The General topic has no thread on send: id 1 is refused.
 * Source: core.telegram.org/bots/api#sendmessage; the refusal of 1 was reported from the field.
 */
export function checkThread(world: World, chat: EmulatedChat, params: Params): number | undefined {
  const thread = params.integer("message_thread_id", 0);
  if (thread === 0) return undefined;
  const topic = world.chats.topic(chat.id, thread);
  if (topic === "closed") throw badRequest("TOPIC_CLOSED");
  // In a supergroup without topics a thread is a message with its replies.
  const isThread = chat.wire.type === "supergroup" && !chat.wire.is_forum && world.messages.find(chat.id, thread) !== undefined;
  if (topic === undefined && !isThread) throw badRequest("message thread not found");
  return thread;
}

interface Reply {
  readonly message: StoredMessage;
  readonly quote: { readonly text: string; readonly position: number; readonly is_manual: true } | undefined;
}

function readReply(world: World, chat: EmulatedChat, params: Params): Reply | undefined {
  const given = params.json("reply_parameters", "reply parameters");
  if (given !== undefined && (typeof given !== "object" || given === null)) throw badRequest("Object expected as reply parameters");
  const reply = (given ?? {}) as Readonly<Record<string, unknown>>;
  const messageId = Number(reply["message_id"] ?? params.integer("reply_to_message_id", 0));
  if (given !== undefined && reply["message_id"] === undefined)
    throw badRequest(`Can't parse reply parameters: Can't find field "message_id"`);
  if (messageId === 0) return undefined;
  const optional = reply["allow_sending_without_reply"] === true || params.flag("allow_sending_without_reply");
  const message = world.messages.find(Number(reply["chat_id"] ?? chat.id), messageId);
  if (message === undefined) {
    if (optional) return undefined;
    throw badRequest("message to be replied not found");
  }
  return { message, quote: readQuote(message, reply) };
}

function readQuote(message: StoredMessage, reply: Readonly<Record<string, unknown>>): Reply["quote"] {
  if (typeof reply["quote"] !== "string" || reply["quote"] === "") return undefined;
  const quote = cleanText(reply["quote"], []).text;
  const text = message.wire.text ?? message.wire.caption ?? "";
  const position = text.indexOf(quote);
  // The quote has to be an exact part of the message. Source: core.telegram.org/bots/api#replyparameters.
  if (position === -1 || quote.length > 1024) throw badRequest("QUOTE_TEXT_INVALID");
  return { text: quote, position, is_manual: true };
}

function isTopic(chat: EmulatedChat): boolean {
  return chat.wire.is_forum === true || chat.wire.type === "private";
}
