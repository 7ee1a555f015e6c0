import type { AccountConfig, Decision, InboundMessage } from "@trunkline/plugin-sdk";
import { accountPath } from "./access.ts";
import { groupConfigOf } from "./group.ts";

/** Whether a group message is for the bot. */
export interface GateVerdict {
  readonly open: boolean;
  readonly decision: Decision;
}

export interface GateInput {
  readonly message: InboundMessage;
  readonly account: AccountConfig;
  /** Name of the agent that would answer; its mention by name counts when no patterns are configured. */
  readonly agentName: string;
}

/** Decides the group gate: a direct message passes; a group message passes when the bot is meant. Pure. */
export function decideGate({ message, account, agentName }: GateInput): GateVerdict {
  if (message.conversation.kind === "direct") return verdict(true, "direct", "a direct message is always for the bot", undefined);
  const group = groupConfigOf(account, message.conversation.id);
  const path = `${accountPath(message)}.${group === undefined ? "groupPolicy" : `groups.${group.key}.requireMention`}`;
  if (group?.config.requireMention === false) return verdict(true, "mention-not-required", "the group answers without a mention", path);
  if (message.mentions.bot) return verdict(true, "mentioned", "the bot is mentioned", path);
  if (message.anchor?.senderIsSelf) return verdict(true, "reply-to-bot", "the message replies to the bot", path);
  // Someone else is called by the platform's own mention: a name in the text is then talk about the bot, not to it.
  if (message.mentions.others.length === 0 && matchesPattern(message.text, account.mentionPatterns, agentName)) {
    return verdict(
      true,
      "mentioned-by-name",
      "the text names the bot",
      account.mentionPatterns === undefined ? path : `${accountPath(message)}.mentionPatterns`,
    );
  }
  return verdict(false, "not-mentioned", "nobody mentioned the bot, and the group requires it", path);
}

function verdict(open: boolean, code: string, why: string, path: string | undefined): GateVerdict {
  return { open, decision: { stage: "gate", code, why, ...(path === undefined ? {} : { path }) } };
}

/** Configured patterns are plain words or phrases, matched whole and without regard to case; the default is the agent's name. */
function matchesPattern(text: string, patterns: readonly string[] | undefined, agentName: string): boolean {
  const folded = text.toLowerCase();
  return (patterns ?? [agentName]).some((pattern) => containsWord(folded, pattern.trim().toLowerCase()));
}

const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** Scripts that put no space between words: what stands next to a name there says nothing about where the name ends. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function containsWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
    const after = Array.from(text.slice(at + word.length, at + word.length + 2))[0] ?? "";
    if (!continues(before) && !continues(after)) return true;
  }
  return false;
}

/** Whether a neighbouring character makes a match the part of a longer word. */
function continues(neighbour: string): boolean {
  return WORD.test(neighbour) && !UNSPACED.test(neighbour);
}
