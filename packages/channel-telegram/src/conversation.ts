import type { ConversationId, ConversationRules, TargetResult } from "@trunkline/plugin-sdk";
import { parseTelegramLink } from "./message-link.ts";

/**
 * The topic "General" of every forum. The platform names it 1, shows it without a topic, and refuses it on sends ("message thread
 * not found"), so it is the chat itself here. Source: field reports; core.telegram.org/bots/api#forumtopic does not say.
 */
export const GENERAL_TOPIC = "1";

/** A chat id has at most 52 significant bits. Source: core.telegram.org/bots/api#chat. */
const CHAT_ID = /^-?[1-9]\d{0,15}$/;
const TOPIC_ID = /^[1-9]\d{0,15}$/;

/**
 * Ids are written `ID` or `ID:TOPIC`: positive ids are people, negative ones groups, and those that begin with -100 supergroups.
 * A channel cannot be told from a supergroup by its id and is not conversed in, so the kind is never `channel`.
 */
export const telegramConversation: ConversationRules = {
  caseSensitive: false,
  format: ({ id, threadId }) => (threadId === undefined ? id : `${id}:${threadId}`),
  parse: parseConversation,
  normalizeTarget,
  parseLink: parseTelegramLink,
  // Titles are chosen freely: two groups may share one. A private chat is named by its person.
  labelNeedsId: (ref) => ref.kind !== "direct",
};

/** Whether ids of messages count within this chat (supergroups) rather than over all chats of the bot. */
export function isSupergroupId(chatId: string): boolean {
  return /^-100\d{7,}$/.test(chatId);
}

function parseConversation(text: string): ConversationId | undefined {
  const [id = "", threadId, ...rest] = text.split(":");
  if (rest.length > 0 || !CHAT_ID.test(id) || (threadId !== undefined && !TOPIC_ID.test(threadId))) return undefined;
  return { kind: id.startsWith("-") ? "group" : "direct", id, ...(threadId === undefined ? {} : { threadId }) };
}

function normalizeTarget(target: string): TargetResult {
  const text = target.trim().replace(/^(?:telegram|tg):/i, "");
  if (/^@\w+$/.test(text) || /^(?:https?:\/\/)?t\.me\//i.test(text)) {
    const hint = "Names change hands, and a bot cannot look people up by name. Use the numeric id; /whoami in the conversation shows it.";
    return { ok: false, reason: "unsupported", hint };
  }
  const id = parseConversation(text);
  if (id === undefined) {
    return {
      ok: false,
      reason: "malformed",
      hint: "Write the numeric chat id, for example 12345, -1001234567890, or -1001234567890:7 for topic 7.",
    };
  }
  const { threadId, ...chat } = id;
  return { ok: true, id: threadId === undefined || isGeneral(id) ? chat : id };
}

function isGeneral(id: ConversationId): boolean {
  return id.kind === "group" && id.threadId === GENERAL_TOPIC;
}
