import type { ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";
import { mayCommand } from "../inbound/decide.ts";

/** Begins like a command or a directive of its own. */
const COMMAND_LIKE = /^\s*[/!][a-z0-9_]/i;

/**
 * Whether a message keeps a turn of its own, whatever the queue mode: what looks like a command is answered by itself, and what is no plain
 * message (a reaction that is answered) has no words that could stand in a prompt beside others. Pure.
 */
export function takesOwnTurn(message: InboundMessage, channel: Pick<ChannelPlugin, "mentions"> | undefined): boolean {
  if (message.kind !== "message") return true;
  return mayCommand(message) && COMMAND_LIKE.test(channel?.mentions?.strip(message.text, message) ?? message.text);
}
