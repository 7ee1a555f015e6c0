import type { ConversationRef, HttpIdentity, InboundMessage } from "@trunkline/plugin-sdk";
import type { InboundWire } from "./wire.ts";

/** Longest message that a person may send. Unit: bytes of UTF-8. */
export const TEXT_LIMIT = 256 * 1024;

/** The body of `POST web/messages`, or what is wrong with it: a status and a sentence for the person. */
export type PostedMessage =
  | { readonly ok: true; readonly clientId: string; readonly text: string; readonly c: string | undefined }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Half of a surrogate pair alone: no text, and no database stores it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Checks `{ clientId, text, c? }`. Line ends become \n; nothing else that was typed changes. */
export function parsePosted(body: unknown): PostedMessage {
  if (typeof body !== "object" || body === null) return bad("The message is not JSON.");
  const { clientId, text, c } = body as { clientId?: unknown; text?: unknown; c?: unknown };
  if (typeof clientId !== "string" || !UUID.test(clientId)) return bad("The message has no valid clientId.");
  if (typeof text !== "string" || text.trim() === "") return bad("The message is empty.");
  if (c !== undefined && typeof c !== "string") return bad("The conversation is not a name.");
  if (new TextEncoder().encode(text).byteLength > TEXT_LIMIT) {
    return { ok: false, status: 413, message: `The message is too long: at most ${TEXT_LIMIT / 1024} kB of text.` };
  }
  return { ok: true, clientId, text: text.replace(/\r\n?/g, "\n").replace(LONE_SURROGATE, "\uFFFD"), c };
}

/** The message as core takes it. The client id is the message id, which makes a repeated post the same message. */
export function toInbound(
  posted: { readonly clientId: string; readonly text: string },
  conversation: ConversationRef,
  who: HttpIdentity,
  now: number,
): InboundMessage {
  return {
    kind: "message",
    id: posted.clientId,
    conversation,
    // The gateway has checked a token: whoever holds the admin's is the owner, the chat token makes an authorised sender.
    sender: { id: who.visitor, isBot: false, isSelf: false, trust: who.role === "admin" ? "owner" : "authorised" },
    text: posted.text,
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: now,
  };
}

/** The message as the tabs show it. */
export function inboundWire(message: InboundMessage, at: number): InboundWire {
  return { direction: "in", id: message.id, text: message.text, at };
}

function bad(message: string): PostedMessage {
  return { ok: false, status: 400, message };
}
