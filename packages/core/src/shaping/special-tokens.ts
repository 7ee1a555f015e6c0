import { codeAt, findCodeRegions } from "./code-regions.ts";
import { removeRanges, type TextRange } from "./removal.ts";

/**
 * Control tokens of models, which a server that does not know their template passes on as text: `<|im_start|>` and `<|im_end|>` (ChatML),
 * `<|channel|>` and `<|message|>` (Harmony), `<|eot_id|>` and `<|start_header_id|>` (Llama), `<｜tool▁calls▁begin｜>` (DeepSeek, with full-width
 * bars), `<start_of_turn>` (Gemma), `[INST]` and `[TOOL_CALLS]` (Mistral), `<<SYS>>`.
 */
const TOKENS =
  /<[|｜]([\w▁/.:-]{1,40})[|｜]>|<(start_of_turn|end_of_turn)>|<<\/?(SYS)>>|\[(\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT))\]/giu;
const SOME_TOKEN = /<[|｜]|_of_turn>|<<\/?SYS>>|\[\/?(?:INST|TOOL_|AVAIL|SYSTEM_)/iu;
const ROLE = /^[ \t]*(?:system|developer|user|assistant|model|tool|ipython)\b(?:[ \t]*\r?\n)?/i;
const ROLE_HEADERS = new Set(["start", "im_start", "start_header_id", "start_of_turn"]);
/** Tokens behind which a call is written that nobody may read; the second kind ends one. */
const CALL_BEGINS = /^(?:tool|function)_?[a-z_]*_(?:begin|start)$|^(?:tool|function)_calls?$|^python_tag$|^tool_response$/;
const CALL_ENDS = /^\/(?:tool|function)|^(?:tool|function)_?[a-z_]*_end$|^(?:eom_id|eot_id|im_end|end|call|end_of_turn|endoftext)$/;
/** Channels of Harmony that are for people. */
const SHOWN_CHANNEL = /^\s*final\b/i;
const CHANNEL_ENDS = new Set(["end", "call", "return", "start", "channel", "im_end", "endoftext"]);
/** A call behind `[TOOL_CALLS]`: a list or object, or the tool's name right before its arguments. */
const CALL_BEHIND = /^\s*[[{]|^[\w.-]{1,64}\s*(?:\[ARGS\]|\[CALL_ID\]|\{)/i;
const UNFINISHED =
  /<[|｜][\w▁/.:-]{0,40}[|｜]?$|<<\/?(?:S|SY|SYS)?>?$|<[|｜](?:im_)?start(?:_header_id)?[|｜]>[ \t]*[a-z]{0,10}$|<start_of_turn>[ \t]*[a-z]{0,10}$|\[TOOL_CALLS\](?:\s*|[\w.-]{0,64}(?:\s*\[[A-Z_]{0,8})?)$/iu;
const BRACKETS = [
  "[/inst]",
  "[inst]",
  "[tool_calls]",
  "[tool_results]",
  "[/tool_results]",
  "[available_tools]",
  "[/available_tools]",
  "[system_prompt]",
  "[/system_prompt]",
];

interface Token extends TextRange {
  /** Lower case; `/inst`, `tool_calls_begin`. */
  readonly name: string;
  readonly bracket: boolean;
}

/**
 * The text without the control tokens of models and what they hide: role headers, calls, every channel of Harmony but `final`. Text in code
 * is left as it is, and a sentence that names `[TOOL_CALLS]` too. Linear in the text.
 */
export function removeSpecialTokens(text: string): string {
  if (!SOME_TOKEN.test(text)) return text;
  const regions = findCodeRegions(text);
  const tokens = findTokens(text).filter(({ start }) => codeAt(regions, start) === undefined);
  const ranges: TextRange[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) continue;
    const { end, next } = hiddenBy(text, tokens, index);
    if (end <= token.start) continue;
    ranges.push({ start: token.start, end });
    index = next - 1;
  }
  return removeRanges(text, ranges);
}

/** Where a token that a growing text may still be spelling out begins; undefined when its end cannot become one. */
export function undecidedSpecialToken(text: string): number | undefined {
  const tail = text.slice(-160);
  const from = text.length - tail.length;
  const unfinished = UNFINISHED.exec(tail);
  if (unfinished !== null) return from + unfinished.index;
  const bracket = tail.lastIndexOf("[");
  const begun = bracket < 0 ? "" : tail.slice(bracket).toLowerCase();
  return begun !== "" && BRACKETS.some((name) => name.startsWith(begun)) ? from + bracket : undefined;
}

/** Makes the tokens of a text harmless by spelling them differently. */
export function breakSpecialTokens(text: string): string {
  return text.replace(TOKENS, (token) => ` ${token.slice(1, -1).replace(/[|｜<>[\]]/g, "")} `);
}

function findTokens(text: string): readonly Token[] {
  return [...text.matchAll(TOKENS)].map((match) => {
    const [whole, bar, turn, sys, bracket] = match;
    const name = (bar ?? turn ?? sys ?? bracket ?? "").toLowerCase().replaceAll("▁", "_");
    return { start: match.index, end: match.index + whole.length, name, bracket: bracket !== undefined };
  });
}

/** Up to where the token at `index` hides the text, and the first token behind that. `end` 0: it is text. */
function hiddenBy(text: string, tokens: readonly Token[], index: number): { readonly end: number; readonly next: number } {
  const token = tokens[index]!;
  const one = { end: token.end, next: index + 1 };
  if (token.name === "tool_calls" && token.bracket) return hiddenCalls(text, token, tokens.length, one);
  if (token.bracket) return one;
  if (ROLE_HEADERS.has(token.name))
    return { end: token.end + (ROLE.exec(text.slice(token.end, token.end + 40))?.[0].length ?? 0), next: index + 1 };
  if (token.name === "channel") return hiddenChannel(text, tokens, index);
  return CALL_BEGINS.test(token.name) ? hiddenCall(text, tokens, index) : one;
}

function hiddenCalls(text: string, token: Token, count: number, one: { readonly end: number; readonly next: number }) {
  const behind = text.slice(token.end, token.end + 200);
  if (behind.trim() === "" && token.end + behind.length === text.length) return one;
  // Calls are the last thing that a model writes.
  return CALL_BEHIND.test(behind) ? { end: text.length, next: count } : { end: 0, next: one.next };
}

function hiddenChannel(text: string, tokens: readonly Token[], index: number) {
  const token = tokens[index]!;
  const message = tokens[index + 1]?.name === "message" ? tokens[index + 1] : undefined;
  if (SHOWN_CHANNEL.test(text.slice(token.end, token.end + 40))) {
    return message === undefined
      ? { end: tokens[index + 1]?.start ?? text.length, next: index + 1 }
      : { end: message.end, next: index + 2 };
  }
  for (let next = index + 1; next < tokens.length; next += 1) {
    const after = tokens[next]!;
    if (!CHANNEL_ENDS.has(after.name)) continue;
    // What begins the next message is read by itself.
    const begins = after.name === "start" || after.name === "channel";
    return begins ? { end: after.start, next } : { end: after.end, next: next + 1 };
  }
  return { end: text.length, next: tokens.length };
}

function hiddenCall(text: string, tokens: readonly Token[], index: number) {
  let depth = 0;
  for (let next = index; next < tokens.length; next += 1) {
    const { name, end } = tokens[next]!;
    if (CALL_BEGINS.test(name)) depth += 1;
    else if (CALL_ENDS.test(name)) depth -= 1;
    if (depth <= 0) return { end, next: next + 1 };
  }
  return { end: text.length, next: tokens.length };
}
