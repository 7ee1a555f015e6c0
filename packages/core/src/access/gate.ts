import type { AccountConfig, Decision, InboundMessage, SessionSettings } from "@trunkline/plugin-sdk";
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
  /** What somebody authorised chose with /activation in this conversation; it beats the configuration. */
  readonly activation: Activation | undefined;
}

/** When the bot answers in a group: only when it is meant, or always. */
export type Activation = NonNullable<SessionSettings["activation"]>;

/** Decides the group gate: a direct message passes; a group message passes when the bot is meant. Pure. */
export function decideGate(input: GateInput): GateVerdict {
  const { message, account, activation } = input;
  if (message.conversation.kind === "direct") return verdict(true, "direct", "a direct message is always for the bot", undefined);
  if (activation === "always") return verdict(true, "activation-always", "/activation always was chosen in this group", undefined);
  const group = groupConfigOf(account, message.conversation);
  const path =
    activation === "mention"
      ? undefined
      : `${accountPath(message)}.${group === undefined ? "groupPolicy" : `groups.${group.keyOf("requireMention")}.requireMention`}`;
  if (activation === undefined && group?.config.requireMention === false)
    return verdict(true, "mention-not-required", "the group answers without a mention", path);
  const how = howMeant(input);
  if (how !== undefined) {
    const byPattern = how === "mentioned-by-name" && account.mentionPatterns !== undefined;
    return verdict(true, how, MEANT[how], byPattern ? `${accountPath(message)}.mentionPatterns` : path);
  }
  const rule = activation === "mention" ? "/activation mention was chosen in this group" : "the group requires it";
  return verdict(false, "not-mentioned", `nobody mentioned the bot, and ${rule}`, path);
}

const MEANT = {
  mentioned: "the bot is mentioned",
  "reply-to-bot": "the message replies to the bot",
  "mentioned-by-name": "the text names the bot",
} as const;

/** How a message outside of a direct conversation says that the bot is meant; undefined when it does not. Pure. */
export function howMeant({ message, account, agentName }: Omit<GateInput, "activation">): keyof typeof MEANT | undefined {
  if (message.mentions.bot) return "mentioned";
  if (message.anchor?.senderIsSelf) return "reply-to-bot";
  // Someone else is called by the platform's own mention: a name in the text is then talk about the bot, not to it.
  const named = message.mentions.others.length === 0 && matchesPattern(message.text, account.mentionPatterns, agentName);
  return named ? "mentioned-by-name" : undefined;
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
