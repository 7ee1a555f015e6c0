import type { ReplyPayload, Verbosity } from "@trunkline/plugin-sdk";
import { groupConfigOf } from "../access/group.ts";
import { formatToolSummary, redactDetail, resolveToolDisplay } from "../tools/display/tool-display.ts";
import type { Turn } from "./turn.ts";

/** Longest output of a tool that people get, in characters. */
const OUTPUT_CHARS = 8000;

/** What people of a turn's conversation are told of tool calls: in direct messages as the agent has it, in a group as the group says. */
export function verbosityOf({ message, account, agent }: Pick<Turn, "message" | "account" | "agent">): Verbosity {
  const { conversation } = message;
  if (conversation.kind === "direct") return agent.verbose ?? "off";
  return groupConfigOf(account, conversation)?.config.verbose ?? "off";
}

/** The line about a tool that starts. `args` is the JSON as the model wrote it, or the arguments themselves. */
export function summaryOf(name: string, args: unknown): ReplyPayload {
  return { text: literally(formatToolSummary(resolveToolDisplay({ name, args: parsed(args) }))) };
}

/** What a tool gave, as a block of code that nothing in it can end. */
export function outputOf(text: string): ReplyPayload {
  const output = redactDetail(text);
  const body = output.trim() === "" ? "(no output)" : output.length <= OUTPUT_CHARS ? output : `${cut(output)}\n(the rest was cut)`;
  const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return { text: `${fence}txt\n${body}\n${fence}` };
}

function cut(text: string): string {
  return text.slice(0, OUTPUT_CHARS).replace(/[\uD800-\uDBFF]$/, "");
}

/** Markdown that shows the text as it is: a path may hold stars and brackets. */
function literally(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}
