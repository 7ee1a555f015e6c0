import type { ConversationRef, HttpIdentity, InboundMessage, Sender } from "@trunkline/plugin-sdk";
import { nameOf } from "./conversation.ts";
import { mediaRef, type Upload } from "./ticket.ts";
import type { InboundWire, WireMedia } from "./wire.ts";

/** Longest message that a person may send. Unit: bytes of UTF-8. */
export const TEXT_LIMIT = 256 * 1024;

/** Files of one message. */
export const FILES_LIMIT = 10;

/** The body of `POST web/messages`, or what is wrong with it: a status and a sentence for the person. */
export type PostedMessage =
  | {
      readonly ok: true;
      readonly clientId: string;
      readonly text: string;
      readonly files: readonly string[];
      readonly c: string | undefined;
    }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Ids that the page makes. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Half of a surrogate pair alone: no text, and no database stores it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Of a message that is reacted to, so much goes along. Unit: characters. */
const QUOTE = 300;

/** Checks `{ clientId, text, files?, c? }`; files are the tickets of uploads. Line ends become \n; nothing else that was typed changes. */
export function parsePosted(body: unknown): PostedMessage {
  if (typeof body !== "object" || body === null) return bad("The message is not JSON.");
  const { clientId, text, files = [], c } = body as { clientId?: unknown; text?: unknown; files?: unknown; c?: unknown };
  if (typeof clientId !== "string" || !UUID.test(clientId)) return bad("The message has no valid clientId.");
  if (!isTexts(files) || files.length > FILES_LIMIT) return bad(`The files are not a list of at most ${FILES_LIMIT}.`);
  if (typeof text !== "string" || (text.trim() === "" && files.length === 0)) return bad("The message is empty.");
  if (c !== undefined && typeof c !== "string") return bad("The conversation is not a name.");
  if (new TextEncoder().encode(text).byteLength > TEXT_LIMIT) {
    return { ok: false, status: 413, message: `The message is too long: at most ${TEXT_LIMIT / 1024} kB of text.` };
  }
  return { ok: true, clientId, text: text.replace(/\r\n?/g, "\n").replace(LONE_SURROGATE, "\uFFFD"), files, c };
}

/** The message as core takes it. The client id is the message id, which makes a repeated post the same message. */
export function toInbound(
  posted: { readonly clientId: string; readonly text: string; readonly uploads?: readonly Upload[] },
  conversation: ConversationRef,
  who: HttpIdentity,
  now: number,
): InboundMessage {
  return {
    kind: "message",
    id: posted.clientId,
    conversation,
    sender: senderOf(who),
    text: posted.text,
    media: (posted.uploads ?? []).map(mediaRef),
    mentions: { bot: false, others: [] },
    sentAt: now,
  };
}

/** A press of a button: the message says the button's value. There is one for each message with buttons, whatever is pressed how often. */
export function pressInbound(
  pressed: { readonly message: string; readonly text: string; readonly value: string },
  conversation: ConversationRef,
  who: HttpIdentity,
  now: number,
): InboundMessage {
  const posted = { clientId: `press.${pressed.message}`, text: pressed.value };
  return { ...toInbound(posted, conversation, who, now), channelData: { button: pressed.text } };
}

/** A reaction to one of the agent's messages; an empty text takes it away. Core keeps it as context. */
export function reactionInbound(
  reaction: { readonly clientId: string; readonly message: string; readonly emoji: string; readonly plain: string },
  conversation: ConversationRef,
  who: HttpIdentity,
  now: number,
): InboundMessage {
  return {
    kind: "reaction",
    id: reaction.message,
    eventId: reaction.clientId,
    conversation,
    sender: senderOf(who),
    text: reaction.emoji,
    media: [],
    mentions: { bot: false, others: [] },
    anchor: { kind: "reaction", messageId: reaction.message, text: reaction.plain.slice(0, QUOTE), senderIsSelf: true },
    sentAt: now,
  };
}

/** The message as the tabs show it: a press by the words on its button. */
export function inboundWire(message: InboundMessage, at: number): InboundWire {
  const button = message.channelData?.["button"];
  const media = inboundMedia(message);
  return {
    direction: "in",
    id: message.id,
    text: typeof button === "string" ? button : message.text,
    at,
    ...(media.length === 0 ? {} : { media }),
  };
}

/** Files are named by message and place, never by where they are kept. */
function inboundMedia({ id, media, conversation }: InboundMessage): WireMedia[] {
  return media.map(({ kind, fileName, mimeType, size }, index) => ({
    url: mediaUrl(id, index, conversation),
    kind,
    name: fileName ?? kind,
    mimeType: mimeType ?? "application/octet-stream",
    ...(size === undefined ? {} : { size }),
  }));
}

/** Address of a message's file, relative to the page. */
export function mediaUrl(message: string, index: number, conversation: ConversationRef): string {
  return `web/media/${message}/${index}?c=${nameOf(conversation)}`;
}

/** The gateway has checked a token: whoever holds the admin's is the owner, the chat token makes an authorised sender. */
function senderOf(who: HttpIdentity): Sender {
  return { id: who.visitor, isBot: false, isSelf: false, trust: who.role === "admin" ? "owner" : "authorised" };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function bad(message: string): PostedMessage {
  return { ok: false, status: 400, message };
}
