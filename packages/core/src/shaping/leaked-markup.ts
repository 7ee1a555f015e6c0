import { codeAt, findCodeRegions } from "./code-regions.ts";
import { removeRanges } from "./removal.ts";
import { removeTagBlocks, type TagFamily } from "./tag-blocks.ts";

// Only the shapes that models print when a call goes wrong; `<invoke>` or `<function>` in a sentence is text.
const TOOL_CALL: TagFamily = {
  pattern:
    /<\s*(?:(\/)\s*)?(?:[a-z][\w-]{0,31}:)?(tool_calls?|function_calls?|tool_use|invoke(?=\s+name\s*=|\s*>)|function(?==|\s*>)|parameter(?==|\s+name\s*=|\s*>))(\/|[\s=][^<>]*)?(?:>|$)/gi,
  key: (name) => name,
  opensImplicitly: false,
};
const CALL_KEY = /^\{\s*"(?:tool_calls|function_call|tool_use)"\s*:/;
const LINE_OBJECT = /^[ \t]*\{\s*"(?:tool_calls|function_call|tool_use)"\s*:/gm;

/**
 * The text without tool calls that the model wrote into it: XML blocks (an unterminated one to the end) and a JSON
 * object of a call that begins a line. Text in code is left as it is.
 */
export function removeLeakedMarkup(text: string): string {
  return removeJsonCalls(removeBareTags(text));
}

/** Whether a line's beginning may still grow into a JSON tool call. */
export function mayBecomeJsonCall(line: string): boolean {
  const text = line.trimStart();
  if (CALL_KEY.test(text)) return true;
  return text.startsWith("{") && ["tool_calls", "function_call", "tool_use"].some((key) => isGrowing(text, key));
}

function isGrowing(text: string, key: string): boolean {
  const inner = text.slice(1).trimStart();
  return `"${key}"`.startsWith(inner.trimEnd()) || (inner.startsWith(`"${key}"`) && inner.slice(key.length + 2).trim() === "");
}

function removeBareTags(text: string): string {
  const shaped = /<\s*(?:\/\s*)?(?:[a-z][\w-]{0,31}:)?(?:tool_calls?|function_calls?|tool_use|invoke\s+name\s*=|function=)/i;
  return shaped.test(text) ? removeTagBlocks(text, TOOL_CALL) : text;
}

function removeJsonCalls(text: string): string {
  const starts = [...text.matchAll(LINE_OBJECT)];
  if (starts.length === 0) return text;
  const regions = findCodeRegions(text);
  const ranges: { start: number; end: number }[] = [];
  let taken = 0;
  for (const match of starts) {
    const start = text.indexOf("{", match.index);
    if (start < taken || codeAt(regions, start) !== undefined) continue;
    taken = endOfObject(text, start);
    ranges.push({ start, end: taken });
  }
  return removeRanges(text, ranges);
}

/** Offset after the brace that closes the object at `start`; the end of the text when none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth += 1;
    else if (char === "}" && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}
