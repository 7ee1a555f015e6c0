import type { BlockRules } from "./render.ts";

/**
 * The rules of text without markup, as a person would type it: they keep what carries meaning, such as the signs of lists, tasks and
 * quotes. For a profile whose channel has no blocks of its own, and for the plain form of one that has.
 */
export const PLAIN_BLOCKS: BlockRules = {
  headings: Array.from({ length: 6 }, () => ({ prefix: "" })),
  bullets: ["- "],
  indent: "marker",
  tasks: { open: "[ ] ", done: "[x] ", keepBullet: true },
  trimEmptyItem: true,
  quotePrefix: "> ",
  quotes: "prefix",
  prefixCode: true,
  hr: "---",
};
