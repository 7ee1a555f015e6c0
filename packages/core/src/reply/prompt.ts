import type { AgentConfig, ChannelPlugin, InboundMessage, ModelImage, ModelMessage } from "@trunkline/plugin-sdk";
import type { Session } from "../sessions/sessions.ts";
import { describeConversation, quoteLabel } from "./labels.ts";

/** Longest text of one message that a model gets, in characters; the rest is said to be cut. */
export const PROMPT_TEXT_CHARS = 32_000;

export interface PromptInput {
  readonly agent: AgentConfig;
  readonly channel: Pick<ChannelPlugin, "capabilities" | "conversation" | "label">;
  readonly message: InboundMessage;
  readonly text: string;
  /** The text says itself who says what. */
  readonly named?: boolean;
  /** What happened before the message and was not told yet; in the same user message. */
  readonly before?: readonly string[];
  readonly session: Session;
  readonly silentToken: string;
  readonly images: readonly ModelImage[];
  /** Names of attached files that are not shown to the model as images. */
  readonly files: readonly string[];
}

/** The prompt of a turn: stable parts first, so that provider caches hit. Gives the new user message apart, for the transcript. Pure. */
export function buildPrompt(input: PromptInput): { readonly messages: readonly ModelMessage[]; readonly user: ModelMessage } {
  const system = [
    input.agent.instructions.trim(),
    abilities(input),
    `If no answer is wanted, reply with ${input.silentToken} alone; that stays silent.`,
    describeConversation(input.message, input.channel),
  ];
  const text = userText(input);
  const user: ModelMessage = { role: "user", text };
  const shown: ModelMessage = input.images.length > 0 ? { ...user, images: input.images } : user;
  return { messages: [{ role: "system", text: system.filter(Boolean).join("\n\n") }, ...input.session.history, shown], user };
}

function abilities({ channel }: PromptInput): string {
  const { media } = channel.capabilities;
  const files =
    media.length > 0 ? ` To send a file, put MEDIA: and its path in your workspace, or its web address, on a line of its own.` : "";
  return `Write Markdown; it is shown natively on ${channel.label}.${files}`;
}

/** The line before a person's words in a group. */
export function speakerLine({ sender }: Pick<InboundMessage, "sender">): string {
  return `${quoteLabel(sender.name ?? sender.id)} says:\n`;
}

/** What the person said, byte for byte; in a group with the speaker's name before it, since the history has many. */
function userText({ message, text, named = false, before = [], files }: PromptInput): string {
  const body = text.length <= PROMPT_TEXT_CHARS ? text : `${text.slice(0, PROMPT_TEXT_CHARS)}\n(the message was longer; the rest was cut)`;
  const speaker = named || message.conversation.kind === "direct" ? "" : speakerLine(message);
  const quoted = !named && message.anchor?.text ? `(in reply to: ${quoteLabel(message.anchor.text)})\n` : "";
  const attached = files.map((name) => `\n(attached file: ${quoteLabel(name)})`).join("");
  return [...before, `${speaker}${quoted}${body}${attached}`].join("\n\n");
}
