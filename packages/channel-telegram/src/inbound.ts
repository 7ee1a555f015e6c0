import type { Anchor, InboundMessage, Sender } from "@trunkline/plugin-sdk";
import type { Message, MessageOrigin, Update } from "grammy/types";
import { GENERAL_TOPIC } from "./conversation.ts";
import { findMedia } from "./intake/media.ts";
import { canonicalHandle } from "./message-link.ts";
import { type BotIdentity, findMentions } from "./intake/mentions.ts";
import { reactionMessage } from "./intake/reactions.ts";

/** Kinds of update that are asked for. The platform remembers the list. Source: core.telegram.org/bots/api#getupdates. */
export const ALLOWED_UPDATES = ["message", "edited_message", "message_reaction"] as const;

/** What an update turned out to be. */
export type Normalized =
  | { readonly kind: "message"; readonly message: InboundMessage }
  /** Nothing that a person said: a kind we did not ask for, a broadcast, a service notice. */
  | { readonly kind: "ignored"; readonly why: string }
  | { readonly kind: "unreadable"; readonly why: string };

/** Fields that hold what a person sent. A message with none of them is a notice of the service (joined, pinned, upgraded, ...). */
const CONTENT = [
  "text",
  "caption",
  "animation",
  "audio",
  "document",
  "photo",
  "sticker",
  "video",
  "video_note",
  "voice",
  "paid_media",
  "checklist",
  "contact",
  "dice",
  "game",
  "invoice",
  "location",
  "poll",
  "rich_message",
  "story",
  "venue",
] as const satisfies readonly (keyof Message)[];

/** Turns an update into the pipeline's message. Unknown fields are ignored; never throws, whatever the platform sent. */
export function normalizeUpdate(update: unknown, me: BotIdentity, account: string): Normalized {
  if (!isRecord(update)) return { kind: "unreadable", why: "the update is not an object" };
  const key = ALLOWED_UPDATES.find((name) => update[name] !== undefined);
  if (key === undefined) return { kind: "ignored", why: "an update of another kind" };
  const event = update[key] as Message;
  try {
    if (key === "message_reaction") return normalizeReaction(update as unknown as Update, me, account);
    const why = ignoreReason(event);
    if (why !== undefined) return { kind: "ignored", why };
    return { kind: "message", message: toInboundMessage(event, { me, account, update: update as unknown as Update }) };
  } catch (error) {
    return { kind: "unreadable", why: error instanceof Error ? error.message : "the message has an unknown shape" };
  }
}

function normalizeReaction({ message_reaction: event, update_id: updateId }: Update, me: BotIdentity, account: string): Normalized {
  if (event === undefined || event.chat.type === "channel") return { kind: "ignored", why: "a broadcast channel" };
  idOf(event.chat.id, "chat.id");
  idOf(event.message_id, "message_id");
  return { kind: "message", message: reactionMessage(event, { me, account, updateId }) };
}

interface Origin {
  readonly me: BotIdentity;
  readonly account: string;
  readonly update: Update;
}

function ignoreReason(message: Message): string | undefined {
  if (message.chat.type === "channel") return "a broadcast channel";
  if (message.chat.type !== "private" && message.chat.type !== "group" && message.chat.type !== "supergroup")
    return "an unknown kind of chat";
  const content = CONTENT.find((field) => message[field] !== undefined);
  return content === undefined ? "a service notice" : undefined;
}

function toInboundMessage(message: Message, { me, account, update }: Origin): InboundMessage {
  const { chat } = message;
  const body = message.text ?? message.caption ?? "";
  const topic = topicOf(message);
  const anchor = anchorOf(message, me);
  const labels = { ...(chat.title === undefined ? {} : { subject: chat.title }), ...topicLabel(message, topic), ...handleOf(chat) };
  const edited = update.message === undefined;
  return {
    kind: edited ? "edit" : "message",
    id: idOf(message.message_id, "message_id"),
    ...(edited ? { eventId: String(message.edit_date ?? update.update_id) } : {}),
    conversation: {
      channel: "telegram",
      account,
      kind: chat.type === "private" ? "direct" : "group",
      id: idOf(chat.id, "chat.id"),
      ...(topic === undefined ? {} : { threadId: topic }),
    },
    sender: senderOf(message, me),
    text: body.replace(/\r\n?/g, "\n"),
    media: findMedia(message),
    mentions: findMentions(body, message.entities ?? message.caption_entities ?? [], me),
    ...(anchor === undefined ? {} : { anchor }),
    ...(message.forward_origin === undefined ? {} : { forwarded: forwardedFrom(message.forward_origin) }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    sentAt: secondsOf(message.date) * 1000,
    channelData: channelDataOf(message, me, update),
  };
}

/** The topic, only where the platform says it is one: in plain groups `message_thread_id` merely names the thread of a reply. */
function topicOf(message: Message): string | undefined {
  if (message.is_topic_message !== true || message.message_thread_id === undefined) return undefined;
  const topic = idOf(message.message_thread_id, "message_thread_id");
  return topic === GENERAL_TOPIC && message.chat.type !== "private" ? undefined : topic;
}

/** A topic's name is known only from the notice of its creation, which its first messages name as what they reply to. */
function topicLabel(message: Message, topic: string | undefined): { thread?: string } {
  const name = topic === undefined ? undefined : message.reply_to_message?.forum_topic_created?.name;
  return name === undefined ? {} : { thread: name };
}

/** The name that links to a public group's messages carry. A private chat's name would be its person's. */
function handleOf(chat: Message["chat"]): { handle?: string } {
  return chat.type === "supergroup" && chat.username ? { handle: canonicalHandle(chat.username) } : {};
}

/** Anonymous admins and people who write as their channel come as a made-up user; `sender_chat` says who it is. */
function senderOf(message: Message, me: BotIdentity): Sender {
  const { from, sender_chat: chat } = message;
  if (chat !== undefined) {
    return { id: idOf(chat.id, "sender_chat.id"), ...named(chat.title), ...called(chat.username), isBot: false, isSelf: false };
  }
  if (from === undefined) throw new TypeError("the message has no sender");
  const id = idOf(from.id, "from.id");
  const name = [from.first_name, from.last_name].filter((part) => typeof part === "string" && part !== "").join(" ");
  return { id, ...named(name), ...called(from.username), isBot: from.is_bot === true, isSelf: id === me.id };
}

function named(name: string | undefined): { name?: string } {
  return name === undefined || name === "" ? {} : { name };
}

function called(username: string | undefined): { username?: string } {
  return username === undefined || username === "" ? {} : { username };
}

function anchorOf(message: Message, me: BotIdentity): Anchor | undefined {
  const { reply_to_message: target, quote, external_reply: external } = message;
  const kind = quote === undefined ? "reply" : "quote";
  // In a topic whatever is no reply "replies" to the notice of the topic's creation.
  if (target !== undefined && target.forum_topic_created === undefined) {
    const senderId = target.sender_chat?.id ?? target.from?.id;
    const text = quote?.text ?? target.text ?? target.caption;
    return {
      kind,
      messageId: idOf(target.message_id, "reply_to_message.message_id"),
      ...(text === undefined ? {} : { text: text.replace(/\r\n?/g, "\n") }),
      ...(senderId === undefined ? {} : { senderId: String(senderId), senderIsSelf: String(senderId) === me.id }),
    };
  }
  // A reply into another chat: its id means nothing in this conversation.
  if (external !== undefined) return { kind, ...(quote === undefined ? {} : { text: quote.text.replace(/\r\n?/g, "\n") }) };
  return undefined;
}

function forwardedFrom(origin: MessageOrigin): { from?: string } {
  const name = originName(origin);
  return name === undefined ? {} : { from: name };
}

function originName(origin: MessageOrigin): string | undefined {
  if (origin.type === "user") return [origin.sender_user.first_name, origin.sender_user.last_name].filter(Boolean).join(" ");
  if (origin.type === "hidden_user") return origin.sender_user_name;
  return origin.type === "chat" ? origin.sender_chat.title : origin.chat?.title;
}

/** What later stages of this channel need again, and what helps to read the log. */
function channelDataOf(message: Message, me: BotIdentity, update: Update): Readonly<Record<string, unknown>> {
  const content = CONTENT.find((field) => message[field] !== undefined);
  return {
    updateId: update.update_id,
    bot: me.username,
    content,
    ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
    ...(message.chat.is_forum === true ? { forum: true } : {}),
  };
}

function idOf(value: unknown, field: string): string {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new TypeError(`${field} is not an integer`);
  return String(value);
}

function secondsOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError("date is not a time");
  return Math.trunc(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
