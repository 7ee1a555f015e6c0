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
/** How the object of a call begins, white space apart: the shapes of the wires, as models repeat them. A value that is a word is an answer. */
const CALL_BEGINNINGS: readonly string[] = [
  '{"tool_calls":[',
  '{"tool_calls":{',
  '{"function_call":{',
  '{"tool_use":[',
  '{"tool_use":{',
  '{"type":"tool_use","id":',
  '{"type":"tool_use","name":',
  '{"type":"function","function":{',
  '{"role":"assistant","content":null,"tool_calls":',
  '{"role":"assistant","tool_calls":',
];
/** White space that may stand between two signs; bounded, so that a row of spaces costs nothing. */
const GAP = "\\s{0,50}";
const spaced = (beginning: string): string =>
  beginning.replace(/"(?=:)|[{[:,](?=.)/g, (sign) => `${sign === "[" || sign === "{" ? "\\" : ""}${sign}${GAP}`).replace(/[[{]$/, "\\$&");
const CALL_OBJECT = [
  ...CALL_BEGINNINGS.map(spaced),
  `\\{${GAP}"name"${GAP}:${GAP}"[\\w.-]{1,64}"${GAP},${GAP}"arguments"${GAP}:${GAP}\\{`,
  // It broke off before its value.
  `\\{${GAP}"(?:tool_calls|function_call|tool_use)"${GAP}:${GAP}$(?![\\s\\S])`,
].join("|");
const LINE_OBJECT = new RegExp(`^[ \\t]*(?:[-*>][ \\t]{1,20}|\\[[ \\t]{0,20})?(?:${CALL_OBJECT})`, "gm");

/**
 * The text without tool calls that the model wrote into it: XML blocks (an unterminated one to the end) and a JSON
 * object of a call that begins a line. Text in code is left as it is.
 */
export function removeLeakedMarkup(text: string): string {
  return removeJsonCalls(removeBareTags(text));
}

/** Whether a line's beginning may still grow into a JSON tool call, or is one. */
export function mayBecomeJsonCall(line: string): boolean {
  const text = line.slice(0, LONGEST_BEGINNING).replace(/\s+/g, "");
  return text.startsWith("{") && CALL_BEGINNINGS.some((beginning) => beginning.startsWith(text) || text.startsWith(beginning));
}

/** Characters in which a beginning stands, white space and all. */
const LONGEST_BEGINNING = 400;

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
    const brace = text.indexOf("{", match.index);
    if (brace < taken || codeAt(regions, brace) !== undefined) continue;
    const listed = text.slice(match.index, brace).includes("[");
    const start = listed ? text.indexOf("[", match.index) : brace;
    taken = endOfValue(text, start);
    ranges.push({ start, end: taken });
  }
  return removeRanges(text, ranges);
}

/** Offset after what closes the object or list at `start`; the end of the text when nothing does. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth += 1;
    else if ((char === "}" || char === "]") && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}
