import type { ConversationId, ConversationRules, TargetResult } from "@trunkline/plugin-sdk";

/** An id of a channel (C), group (G) or direct conversation (D). Source: docs.slack.dev/reference/objects/conversation-object. */
const ID = /^[CDG][A-Z0-9]{2,20}$/;
/** The `ts` of a thread's first message; a string always, never a number. */
const TS = /^\d{9,12}\.\d{6}$/;

/** Ids are written `ID` or `ID:THREAD`, the thread being the `ts` of its first message. The first letter tells the kind. */
export const slackConversation: ConversationRules = {
  caseSensitive: true,
  format: ({ id, threadId }) => (threadId === undefined ? id : `${id}:${threadId}`),
  parse: parseConversation,
  normalizeTarget,
  // A channel's name is its own within a workspace; groups of people have made-up names.
  labelNeedsId: (ref) => ref.kind === "group",
};

function parseConversation(text: string): ConversationId | undefined {
  const [id = "", threadId, ...rest] = text.split(":");
  if (rest.length > 0 || !ID.test(id) || (threadId !== undefined && !TS.test(threadId))) return undefined;
  const kind = id.startsWith("D") ? "direct" : id.startsWith("G") ? "group" : "channel";
  return { kind, id, ...(threadId === undefined ? {} : { threadId }) };
}

function normalizeTarget(target: string): TargetResult {
  const text = target.trim().replace(/^slack:/i, "");
  const id = parseConversation(/^<#([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(text)?.[1] ?? text);
  if (id !== undefined) return { ok: true, id };
  if (/^[#@]/.test(text) || /^<?@?[UW][A-Z0-9]{2,20}/.test(text)) {
    const hint = "Names change, and a person's id is not that of the conversation with them. /whoami in the conversation shows its id.";
    return { ok: false, reason: "unsupported", hint };
  }
  return {
    ok: false,
    reason: "malformed",
    hint: "Write the conversation's id, for example C0123456789, or C0123456789:1700000000.000100 for a thread.",
  };
}
