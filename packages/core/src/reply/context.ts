import type { InboundMessage } from "@trunkline/plugin-sdk";
import { quoteLabel } from "./labels.ts";

/** Messages of an overflow that are named one by one. */
const NAMED = 20;

/** What the agent is told of messages that were left out because too many waited. Pure. */
export function overflowNote(messages: readonly InboundMessage[]): string {
  const lines = messages.slice(-NAMED).map(({ sender, text, media }) => {
    const said = text.trim() === "" ? `(${media.map(({ kind }) => kind).join(", ")})` : text;
    return `- ${quoteLabel(sender.name ?? sender.id)}: ${quoteLabel(said)}`;
  });
  const rest = messages.length > NAMED ? [`- and ${messages.length - NAMED} before them`] : [];
  return [`(${messages.length} messages before this one were left out because too many waited; their beginnings:`, ...rest, ...lines, ")"].join("\n");
}
