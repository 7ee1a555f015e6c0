import type { ConversationRef, ConversationRules, HttpIdentity } from "@trunkline/plugin-sdk";

/** Name of the one conversation that every visitor has. */
const MAIN = "main";

/** A visitor's id as the gateway makes it: 16 random bytes in hexadecimal. */
const VISITOR = /^[0-9a-f]{32}$/;

/** Ids of web conversations: the id of the visitor. */
export const webConversation: ConversationRules = {
  // Hexadecimal, so both cases would do; but an id is an id, and nothing is gained by bending it.
  caseSensitive: true,
  format: ({ id }) => id,
  parse: (text) => (VISITOR.test(text) ? { kind: "direct", id: text } : undefined),
  normalizeTarget(target) {
    const id = target.trim();
    if (VISITOR.test(id)) return { ok: true, id: { kind: "direct", id } };
    return {
      ok: false,
      reason: "malformed",
      hint: "A web conversation is named by its visitor id, 32 hexadecimal digits; /whoami shows it.",
    };
  },
  labelNeedsId: () => true,
};

/**
 * The conversation that a request means. `name` is its parameter `c`: every visitor has exactly one conversation, `main`, which is
 * also meant when there is no name; undefined for any other.
 */
export function visitorConversation(
  channel: string,
  account: string,
  who: HttpIdentity,
  name: string | null | undefined,
): ConversationRef | undefined {
  if ((name ?? MAIN) !== MAIN) return undefined;
  return { channel, account, kind: "direct", id: who.visitor };
}
