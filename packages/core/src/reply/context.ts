import { type ChannelPlugin, type InboundMessage, type Store } from "@trunkline/plugin-sdk";
import { groupConfigOf } from "../access/group.ts";
import { untoldBefore } from "../store/untold.ts";
import { quoteLabel } from "./labels.ts";
import { speakerLine } from "./prompt.ts";
import { messageOf } from "./rows.ts";
import type { Turn } from "./turn.ts";

/** Messages of an overflow that are named one by one. */
const NAMED = 20;

/** Unanswered messages of a group that the next answered one brings along, where nothing is configured. */
export const HISTORY_LIMIT = 50;

/** Longest text of one of them, and of all together, in characters. */
const ONE_CHARS = 2000;
const ALL_CHARS = 16_000;

/** What the agent is told of messages that were left out because too many waited. Pure. */
export function overflowNote(messages: readonly InboundMessage[]): string {
  const lines = messages.slice(-NAMED).map(({ sender, text, media }) => {
    const said = text.trim() === "" ? `(${media.map(({ kind }) => kind).join(", ")})` : text;
    return `- ${quoteLabel(sender.name ?? sender.id)}: ${quoteLabel(said)}`;
  });
  const rest = messages.length > NAMED ? [`- and ${messages.length - NAMED} before them`] : [];
  return [
    `(${messages.length} messages before this one were left out because too many waited; their beginnings:`,
    ...rest,
    ...lines,
    ")",
  ].join("\n");
}

/**
 * What happened in the conversation since the agent was last asked, and was not answered: in a group what was not said to it, and everywhere edits, deletions
 * and reactions. Told once: it becomes part of the message, in the transcript too. The same for every start of the turn.
 */
export async function untoldOf(turn: Turn, store: Store): Promise<readonly string[]> {
  const { conversation } = turn.message;
  const group = conversation.kind === "direct" ? undefined : groupConfigOf(turn.account, conversation)?.config.historyLimit;
  const limit = group ?? turn.account.historyLimit ?? HISTORY_LIMIT;
  const before = turn.rows.at(-1)!.seq;
  if (limit === 0) return [];
  const rows = await store.read((tx) => untoldBefore(tx, { conv: turn.row.conv, seq: before, limit }));
  if (rows.length === 0) return [];
  const lines: string[] = [];
  let room = ALL_CHARS;
  // From the newest: what is oldest is left out first.
  for (const message of asItIsNow(rows.map(messageOf)).toReversed()) {
    const line = told(message, turn.channel);
    room -= line.length;
    if (room < 0) break;
    lines.unshift(line);
  }
  if (lines.length === 0) return [];
  return [`(Before this message, and not to you:)`, ...lines, "(And this is to you:)"];
}

/** What was changed or deleted before anybody told the agent of it is told as it is, or not at all. */
function asItIsNow(messages: readonly InboundMessage[]): readonly InboundMessage[] {
  const now: InboundMessage[] = [];
  for (const message of messages) {
    const at = message.kind === "message" ? -1 : now.findIndex(({ kind, id }) => kind === "message" && id === message.id);
    if (message.kind === "edit" && at >= 0) now[at] = { ...now[at]!, text: message.text, media: message.media };
    else if (message.kind === "delete" && at >= 0) now.splice(at, 1);
    else now.push(message);
  }
  return now;
}

function told(message: InboundMessage, channel: Pick<ChannelPlugin, "mentions">): string {
  const who = quoteLabel(message.sender.name ?? message.sender.id);
  if (message.kind === "delete") return `${who} deleted an earlier message.`;
  if (message.kind === "reaction") return `${who} reacted to an earlier message: ${quoteLabel(message.text)}`;
  const words = channel.mentions?.strip(message.text, message) ?? message.text;
  const files = message.media.map(({ fileName, kind }) => `\n(a file: ${quoteLabel(fileName ?? kind)})`).join("");
  const said = `${words.length <= ONE_CHARS ? words : `${words.slice(0, ONE_CHARS)} (cut)`}${files}`;
  return message.kind === "edit" ? `${who} changed an earlier message to:\n${said}` : speakerLine(message) + said;
}
