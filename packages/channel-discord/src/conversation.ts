import type { ConversationId, ConversationKind, ConversationRules, TargetResult } from "@trunkline/plugin-sdk";
import { parseDiscordLink } from "./message-link.ts";

/** A snowflake: 64 bits, written in decimals, a string always. Source: discord.com/developers/docs/reference#snowflakes. */
const SNOWFLAKE = /^[1-9]\d{16,19}$/;

/** Words before an id, by kind. An id alone does not tell whether it is a channel, a thread, a person or a server. */
const WORDS: Readonly<Record<ConversationKind, string>> = { direct: "dm", group: "group", channel: "channel" };
const KINDS = new Map(Object.entries(WORDS).map(([kind, word]) => [word, kind as ConversationKind]));

/**
 * Ids are written `dm:ID`, `group:ID` and `channel:ID`, a thread or forum post of a channel `channel:ID:THREAD`. Each ID is that of a Discord
 * channel, for a direct conversation too: it is the one that messages are sent to and that links name. `ID` of a thread is its parent's.
 */
export const discordConversation: ConversationRules = {
  caseSensitive: false,
  format: ({ kind, id, threadId }) => `${WORDS[kind]}:${id}${threadId === undefined ? "" : `:${threadId}`}`,
  parse: parseConversation,
  normalizeTarget,
  parseLink: parseDiscordLink,
  // Channels of two servers, and groups of people, may share a name. A direct conversation is named by its person.
  labelNeedsId: (ref) => ref.kind !== "direct",
};

function parseConversation(text: string): ConversationId | undefined {
  const [word = "", id = "", threadId, ...rest] = text.split(":");
  const kind = KINDS.get(word);
  if (kind === undefined || rest.length > 0 || !SNOWFLAKE.test(id)) return undefined;
  if (threadId === undefined) return { kind, id };
  // Only channels of a server have threads.
  return kind === "channel" && SNOWFLAKE.test(threadId) ? { kind, id, threadId } : undefined;
}

function normalizeTarget(target: string): TargetResult {
  const text = target.trim().replace(/^discord:/i, "");
  const mentioned = /^<#(\d+)>$/.exec(text)?.[1];
  const id = parseConversation(mentioned === undefined ? text.toLowerCase() : `channel:${mentioned}`);
  if (id !== undefined) return { ok: true, id };
  if (SNOWFLAKE.test(text)) {
    const hint = `The number alone may be a channel, a thread or a person. Write channel:${text}, channel:PARENT:${text} for a thread, or dm:${text} for the channel of a direct conversation.`;
    return { ok: false, reason: "ambiguous", hint };
  }
  if (/^[#@]|^<@|^user:/i.test(text)) {
    const hint =
      "Names change, and a person's id is not that of the conversation with them. /whoami in the conversation shows how to write it.";
    return { ok: false, reason: "unsupported", hint };
  }
  const hint =
    "Write channel:ID, channel:ID:THREAD, group:ID or dm:ID; in Discord, with developer mode on, “Copy Channel ID” gives the ID.";
  return { ok: false, reason: "malformed", hint };
}
