import type { ReplyPayload } from "@trunkline/plugin-sdk";
import { codeAt, findCodeRegions } from "./code-regions.ts";
import { removeRanges } from "./removal.ts";
import { removeTagBlocks, type TagFamily } from "./tag-blocks.ts";

// `<\s*(?:\/\s*)?` rather than `<\s*\/?\s*`: two open-ended runs side by side would be quadratic on a row of spaces. Attributes have values,
// and only a text that breaks off inside a tag may lack its end: `max_tokens < thinking budget` is prose.
const REASONING: TagFamily = {
  pattern:
    /<\s*(?:(\/)\s*)?(?:[a-z][\w.-]{0,31}:){0,2}(think|thinking|thought|antthinking|reasoning)(\/|=[^\s<>]{0,100}|(?:\s{1,20}[\w:.-]{1,64}\s{0,20}=\s{0,20}(?:"[^"]{0,500}"|'[^']{0,500}'|[^\s"'<>]{1,500})){0,20}\s*\/?|\s[^<>]*(?=$))(?:>|$)/gi,
  mayBreakOff: (tag) => /^<\/?[^\s]+$/.test(tag) || tag.includes("="),
  key: () => "reasoning",
  opensImplicitly: true,
};
const FINAL_TAG = /<\s*(?:\/\s*)?(?:[a-z][\w-]{0,31}:)?final\s*>/gi;

/**
 * The text without the model's reasoning: blocks in think, thinking, thought, antthinking and reasoning tags, with or without a
 * namespace, in any case, unclosed ones to the end. A closing tag at the beginning of a line without its opening one (chat templates
 * that begin the block themselves) hides what stands before it. Text in code is left as it is.
 */
export function removeReasoning(text: string): string {
  return removeTagBlocks(text, REASONING);
}

/** The text without `<final>` wrappers; what they wrap stays. Text in code is left as it is. */
export function unwrapFinal(text: string): string {
  const tags = [...text.matchAll(FINAL_TAG)];
  if (tags.length === 0) return text;
  const regions = findCodeRegions(text);
  const ranges = tags
    .filter((tag) => codeAt(regions, tag.index) === undefined)
    .map((tag) => ({ start: tag.index, end: tag.index + tag[0].length }));
  return removeRanges(text, ranges);
}

/** Whether a payload is reasoning, which is only sent where the person asked to see it. */
export function shouldSuppressReasoningPayload(payload: ReplyPayload): boolean {
  return payload.isReasoning === true;
}
