import type { ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";

/** Longest label in a prompt, in graphemes. */
const LABEL_GRAPHEMES = 80;

/** Ids that say nothing to a person and that two groups of one name are told apart by: numbers, and the JIDs of groups. */
const BARE_ID = /^(?:-?\d+|\d[\d-]*@g\.us)$/;

/**
 * The name of a conversation for people and prompts: explicit label, thread, then sender (direct) or channel name, subject, space
 * (group), else the id; with ` id:<id>` behind it where the name alone does not identify. Pure.
 */
export function resolveConversationLabel(message: InboundMessage, channel?: Pick<ChannelPlugin, "conversation">): string {
  const { name, id } = labelParts(message, channel);
  return id === undefined ? name : `${name} id:${id}`;
}

/** A label's name, and the id where it needs one. */
function labelParts(
  message: InboundMessage,
  channel: Pick<ChannelPlugin, "conversation"> | undefined,
): { readonly name: string; readonly id?: string } {
  const { labels, conversation, sender } = message;
  const names = conversation.kind === "direct" ? [sender.name, sender.id] : [labels?.channelName, labels?.subject, labels?.space];
  const named = [labels?.explicit, labels?.thread, ...names].find((name) => name !== undefined && name.trim() !== "");
  const name = named?.trim() ?? conversation.id;
  const needsId = BARE_ID.test(conversation.id) || (channel?.conversation.labelNeedsId(conversation) ?? false);
  const identified = name.includes(conversation.id) || name.includes(" id:") || name.startsWith("#") || name.startsWith("@");
  return needsId && !identified ? { name, id: conversation.id } : { name };
}

// oxlint-disable-next-line no-control-regex -- control characters are what must go
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A name as quoted data for a prompt: one line, no control or bidi characters, 80 graphemes at most, escaped. */
export function quoteLabel(label: string): string {
  return JSON.stringify(boundLabel(label, LABEL_GRAPHEMES));
}

/** A label on one line and of at most `room` graphemes, the last of them an ellipsis where something was cut. */
function boundLabel(label: string, room: number): string {
  const clean = label.slice(0, 2000).replace(UNSAFE, " ").trim();
  if (clean.length <= room) return clean; // as many graphemes at most
  const graphemes: string[] = [];
  for (const { segment } of segmenter.segment(clean)) {
    if (graphemes.push(segment) > room) return `${graphemes.slice(0, Math.max(0, room - 1)).join("")}…`;
  }
  return clean;
}

/** A conversation's label as quoted data. A long name gives way to the id, for the id is what cannot be chosen by a stranger. */
function quoteConversation(message: InboundMessage, channel: Pick<ChannelPlugin, "conversation">): string {
  const { name, id } = labelParts(message, channel);
  if (id === undefined) return quoteLabel(name);
  const suffix = boundLabel(`id:${id}`, LABEL_GRAPHEMES - 2);
  return JSON.stringify(`${boundLabel(name, LABEL_GRAPHEMES - 1 - suffix.length)} ${suffix}`);
}

/** One sentence that tells an agent where it is and who speaks. */
export function describeConversation(message: InboundMessage, channel: Pick<ChannelPlugin, "conversation" | "label">): string {
  const label = quoteConversation(message, channel);
  if (message.conversation.kind === "direct") return `You are in a private chat on ${channel.label} with ${label}.`;
  const speaker = quoteLabel(message.sender.name?.trim() || message.sender.id);
  return `You are in the ${channel.label} ${message.conversation.kind} ${label}. The current speaker is ${speaker}.`;
}
