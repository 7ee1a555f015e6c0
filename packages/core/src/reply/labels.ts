import type { ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";

/** Longest label in a prompt, in graphemes. */
const LABEL_GRAPHEMES = 80;

/**
 * The name of a conversation for people and prompts: explicit label, thread, then sender (direct) or channel name, subject, space
 * (group), else the id; with ` id:<id>` behind it where the name alone does not identify. Pure.
 */
export function resolveConversationLabel(message: InboundMessage, channel?: Pick<ChannelPlugin, "conversation">): string {
  const { labels, conversation, sender } = message;
  const names = conversation.kind === "direct" ? [sender.name, sender.id] : [labels?.channelName, labels?.subject, labels?.space];
  const named = [labels?.explicit, labels?.thread, ...names].find((name) => name !== undefined && name.trim() !== "");
  const base = named?.trim() ?? conversation.id;
  const needsId = /^-?\d+$/.test(conversation.id) || (channel?.conversation.labelNeedsId(conversation) ?? false);
  const identified = base.includes(conversation.id) || base.includes(" id:") || base.startsWith("#") || base.startsWith("@");
  return needsId && !identified ? `${base} id:${conversation.id}` : base;
}

// oxlint-disable-next-line no-control-regex -- control characters are what must go
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A name as quoted data for a prompt: one line, no control or bidi characters, bounded, escaped. */
export function quoteLabel(label: string): string {
  const clean = label.slice(0, 2000).replace(UNSAFE, " ").trim();
  if (clean.length <= LABEL_GRAPHEMES) return JSON.stringify(clean); // as many graphemes at most
  let short = "";
  let count = 0;
  for (const { segment } of segmenter.segment(clean)) {
    if (count === LABEL_GRAPHEMES) return JSON.stringify(`${short}…`);
    short += segment;
    count += 1;
  }
  return JSON.stringify(short);
}

/** One sentence that tells an agent where it is and who speaks. */
export function describeConversation(message: InboundMessage, channel: Pick<ChannelPlugin, "conversation" | "label">): string {
  const label = quoteLabel(resolveConversationLabel(message, channel));
  if (message.conversation.kind === "direct") return `You are in a private chat on ${channel.label} with ${label}.`;
  const speaker = quoteLabel(message.sender.name?.trim() || message.sender.id);
  return `You are in the ${channel.label} ${message.conversation.kind} ${label}. The current speaker is ${speaker}.`;
}
