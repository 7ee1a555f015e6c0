import { tokenSource } from "./edge-token.ts";

const LINE_OBJECT = /(?:^|\n)[ \t]*(?:[-*>][ \t]+|\[[ \t]*|[\w:/. \t]{1,20})?\{\s*"/;
const LABELLED = /^\s*(?:\(|[A-Z][\w ]{2,60}\(untrusted)/;
const BRACKET_TOKEN = /\[\/?(?:INST|TOOL_|AVAIL|SYSTEM_)/i;
/** Names that are searched for again and again. */
const patterns = new Map<string, RegExp>();

/**
 * Whether a text may hold anything that a removal looks for. Most texts do not, and to find that out costs a fraction of looking for each
 * thing. May say yes without a reason, never no. Pure.
 */
export function mayHoldControlText(text: string, tokens: readonly string[]): boolean {
  return (
    text.includes("<") ||
    text.includes("[[") ||
    text.includes("MEDIA:") ||
    (text.includes("{") && LINE_OBJECT.test(text)) ||
    (text.includes("(") && LABELLED.test(text)) ||
    (text.includes("[") && BRACKET_TOKEN.test(text)) ||
    tokens.some((token) => mayHoldToken(text, token.trim()))
  );
}

function mayHoldToken(text: string, token: string): boolean {
  if (token === "" || (token.includes("_") && !text.includes("_"))) return false;
  let pattern = patterns.get(token);
  if (pattern === undefined) {
    pattern = new RegExp(tokenSource(token), "iu");
    // There is one token for each configuration that was ever read.
    if (patterns.size < 100) patterns.set(token, pattern);
  }
  return pattern.test(text);
}
