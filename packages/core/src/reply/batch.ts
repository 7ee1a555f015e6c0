import type { ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";
import { goesOn, joinFragments } from "../inbound/fragments.ts";
import { quoteLabel } from "./labels.ts";
import { PROMPT_TEXT_CHARS, speakerLine } from "./prompt.ts";

/** What one turn answers: one message, or several that became one. */
export interface Batch {
  /** The first one, with the words and media of all. */
  readonly message: InboundMessage;
  /** The words without the bot's own mention. */
  readonly text: string;
  /** The words say themselves who says what. */
  readonly named: boolean;
}

/** Least of one message that a prompt of many has room for, in characters. */
const LEAST_CHARS = 500;

/** Puts what a turn answers together: pieces become the message that they are of; several messages follow each other, each with its sender. Pure. */
export function combine(messages: readonly InboundMessage[], channel: Pick<ChannelPlugin, "fragments" | "mentions">): Batch {
  const pieces: InboundMessage[][] = [];
  for (const message of messages) {
    const group = pieces.at(-1);
    const previous = group?.at(-1);
    if (group && previous && goesOn(previous, message, channel)) group.push(message);
    else pieces.push([message]);
  }
  const whole = pieces.map((group) => joinFragments(group, channel));
  const words = (message: InboundMessage): string =>
    message.kind === "reaction" ? reaction(message) : (channel.mentions?.strip(message.text, message) ?? message.text);
  const [first] = whole;
  if (first === undefined || whole.length === 1) return { message: first!, text: words(first!), named: false };
  const room = Math.max(LEAST_CHARS, Math.floor(PROMPT_TEXT_CHARS / whole.length));
  const text = whole.map((message) => utterance(message, words(message), room)).join("\n\n");
  const mentions = { bot: whole.some((one) => one.mentions.bot), others: first.mentions.others };
  return { message: { ...first, text, mentions, media: whole.flatMap(({ media }) => media) }, text, named: true };
}

/** A reaction in words, for an agent that has only words. */
function reaction({ text, anchor }: InboundMessage): string {
  const target = anchor?.text === undefined ? "your earlier message" : `your message ${quoteLabel(anchor.text)}`;
  return `(reacted to ${target} with ${quoteLabel(text)})`;
}

/** What one person said, with their name, in a text that has several. Pure. */
export function utterance(message: InboundMessage, words: string, room: number): string {
  const quoted = message.anchor?.text ? `(in reply to: ${quoteLabel(message.anchor.text)})\n` : "";
  const files = message.media.map(({ fileName, kind }) => `\n(attached file: ${quoteLabel(fileName ?? kind)})`).join("");
  const said = words.length <= room ? words : `${words.slice(0, room)}\n(the message was longer; the rest was cut)`;
  return `${speakerLine(message)}${quoted}${said}${files}`;
}
