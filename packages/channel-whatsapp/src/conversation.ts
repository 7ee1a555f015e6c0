import type { ConversationId, ConversationRules, TargetResult } from "@trunkline/plugin-sdk";
import { canonicalJid } from "./jid.ts";

/** What an address of WhatsApp names, by its server. Status broadcasts are nobody's conversation. */
const KINDS: Readonly<Record<string, ConversationId["kind"]>> = {
  "s.whatsapp.net": "direct",
  lid: "direct",
  "g.us": "group",
  newsletter: "channel",
};

/**
 * Conversations are named by their address: `DIGITS@s.whatsapp.net` for a phone number, `DIGITS@lid` for a person whose number is hidden,
 * `DIGITS@g.us` (older ones `DIGITS-DIGITS@g.us`) for a group, `DIGITS@newsletter` for a channel. WhatsApp has no threads.
 */
export const whatsappConversation: ConversationRules = {
  // The contract has them so; servers and digits look the same in either case.
  caseSensitive: true,
  format: ({ id }) => id,
  parse: parseConversation,
  normalizeTarget,
  // Two groups may share a subject; a person's label has the number in it.
  labelNeedsId: (ref) => ref.kind !== "direct",
};

function parseConversation(text: string): ConversationId | undefined {
  const id = canonicalJid(text);
  // Only what `format` writes: a device's address names its conversation, but is not how that is written.
  const kind = id === text ? KINDS[id.slice(id.indexOf("@") + 1)] : undefined;
  return id === undefined || kind === undefined ? undefined : { kind, id };
}

function normalizeTarget(target: string): TargetResult {
  const text = target.trim().replace(/^(?:whatsapp|wa):/i, "");
  const jid = text.includes("@") ? canonicalJid(text) : phoneJid(text);
  const id = jid === undefined ? undefined : parseConversation(jid);
  if (id !== undefined) return { ok: true, id };
  if (/^\d{5,}(?:-\d+)?$/.test(text)) {
    const hint = `The digits alone may be a phone number, a hidden number or a group. Write +${text}, ${text}@lid or ${text}@g.us.`;
    return { ok: false, reason: "ambiguous", hint };
  }
  if (/^@|@broadcast$|^(?:https?:\/\/)?(?:wa\.me|chat\.whatsapp\.com)\//i.test(text)) {
    const hint = "Names, status broadcasts and links are no addresses. Write +COUNTRY and the number, or a group's DIGITS@g.us.";
    return { ok: false, reason: "unsupported", hint };
  }
  const hint =
    "Write a phone number with + and the country, for example +491701234567, or a group's DIGITS@g.us; /whoami in the conversation shows it.";
  return { ok: false, reason: "malformed", hint };
}

/** The address of a phone number as people write one: `+49 170 123-45 67`. At most 15 digits. Source: ITU-T E.164. */
function phoneJid(text: string): string | undefined {
  if (!/^\+[\d\s().\u00a0-]+$/.test(text)) return undefined;
  const digits = text.replace(/\D/g, "");
  return /^[1-9]\d{6,14}$/.test(digits) ? `${digits}@s.whatsapp.net` : undefined;
}
