import type { ConversationKind, ConversationRef } from "./message.ts";

/** The id part of a conversation as its platform writes it. */
export interface ConversationId {
  readonly kind: ConversationKind;
  readonly id: string;
  readonly threadId?: string;
}

/** What a person or an agent wrote as a target, resolved or not. */
export type TargetResult =
  | { readonly ok: true; readonly id: ConversationId }
  | { readonly ok: false; readonly reason: "ambiguous" | "malformed" | "unsupported"; readonly hint: string };

/** One message as a link of its platform names it: by the conversation's id, or by its public name. */
export interface MessageLink {
  readonly messageId: string;
  readonly conversation: { readonly id: string } | { readonly handle: string };
}

/** A channel's rules for conversation ids. Pure. */
export interface ConversationRules {
  /** Whether ids differ by case (Slack, WhatsApp); else session keys lower-case them. */
  readonly caseSensitive: boolean;
  /** One line that names the conversation on this channel, thread included. `parse(format(x))` equals x. */
  format(id: ConversationId): string;
  /** The inverse of `format`; undefined for what it cannot have written. */
  parse(text: string): ConversationId | undefined;
  /** What people write: raw ids, "@ann", "#general". */
  normalizeTarget(target: string): TargetResult;
  /** What people copy from the platform's app: a link to one message. Undefined for every other text; whether it exists is not asked. */
  parseLink?(link: string): MessageLink | undefined;
  /** Whether a label needs ` id:<id>` behind it because the name alone does not identify the conversation. */
  labelNeedsId(ref: ConversationRef): boolean;
}

/**
 * Escapes one part of a colon-joined key: `%` and `:` are percent-encoded and nothing else, so that keys stay readable and
 * splitting them is exact.
 */
export function encodeKeyPart(part: string): string {
  return part.replaceAll("%", "%25").replaceAll(":", "%3A");
}

/** The inverse of `encodeKeyPart`. */
export function decodeKeyPart(part: string): string {
  return part.replaceAll("%3A", ":").replaceAll("%25", "%");
}

/** The key of a conversation's order in the store: `channel:account:id:thread`, the thread empty when there is none. */
export function conversationKey(ref: ConversationRef): string {
  return [ref.channel, ref.account, ref.id, ref.threadId ?? ""].map(encodeKeyPart).join(":");
}
