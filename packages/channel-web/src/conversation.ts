import type { ConversationId, ConversationRef, ConversationRules, HttpIdentity } from "@trunkline/plugin-sdk";

/** Name of the conversation that every visitor begins with. */
export const MAIN = "main";

/** A visitor's id as the gateway makes it: 16 random bytes in hexadecimal. */
const VISITOR = /^[0-9a-f]{32}$/;
/** Name of a further conversation, as the page makes it. */
const NAME = /^[0-9a-f]{16}$/;

/** Ids of web conversations: `VISITOR` for a visitor's first one, `VISITOR:NAME` for the others. */
export const webConversation: ConversationRules = {
  // Hexadecimal, so both cases would do; but an id is an id, and nothing is gained by bending it.
  caseSensitive: true,
  format: ({ id, threadId }) => (threadId === undefined ? id : `${id}:${threadId}`),
  parse: parseConversation,
  normalizeTarget(target) {
    const id = parseConversation(target.trim());
    if (id !== undefined) return { ok: true, id };
    return {
      ok: false,
      reason: "malformed",
      hint: "A web conversation is named by its visitor id, 32 hexadecimal digits, and for a further one a colon and its name; /whoami shows both.",
    };
  },
  labelNeedsId: () => true,
};

function parseConversation(text: string): ConversationId | undefined {
  const [id = "", name, ...rest] = text.split(":");
  if (rest.length > 0 || !VISITOR.test(id) || (name !== undefined && !NAME.test(name))) return undefined;
  return { kind: "direct", id, ...(name === undefined ? {} : { threadId: name }) };
}

/**
 * The conversation that a request means, always one of the visitor's own. `name` is its parameter `c`: `main`, which is also meant when
 * there is none, or the name of a further one; undefined for anything else.
 */
export function visitorConversation(
  channel: string,
  account: string,
  who: HttpIdentity,
  name: string | null | undefined,
): ConversationRef | undefined {
  const first: ConversationRef = { channel, account, kind: "direct", id: who.visitor };
  if ((name ?? MAIN) === MAIN) return first;
  return NAME.test(name ?? "") ? { ...first, threadId: name ?? "" } : undefined;
}

/** The name of a conversation among those of its visitor. */
export function nameOf(conversation: ConversationRef): string {
  return conversation.threadId ?? MAIN;
}
