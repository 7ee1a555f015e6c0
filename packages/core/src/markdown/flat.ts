import type { LinkRules, MarkdownIR, RenderStyleMap } from "@trunkline/plugin-sdk";
import { settleLinks } from "./render/links.ts";
import { renderMarkdownWithMarkers } from "./render/markers.ts";

/** Plain text keeps the one style whose loss would turn the meaning round, and says what was hidden. */
export const PLAIN_MARKERS: RenderStyleMap = {
  strikethrough: { open: "~~", close: "~~" },
  spoiler: { open: "[spoiler: ", close: "]" },
};

/** Plain text prints every target that is not already the label. */
export const PLAIN_LINKS: LinkRules = { form: "print", schemes: [] };

/** Inline content on one line of plain text, for a cell of a grid. */
export function flattenInline(ir: MarkdownIR): string {
  const text = renderMarkdownWithMarkers(settleLinks(ir, PLAIN_LINKS), {
    styleMarkers: PLAIN_MARKERS,
  });
  return onOneLine(text);
}

/** Text as a cell of a grid can hold it. */
export function onOneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, " ")
    .replace(/\t/g, " ")
    .trim();
}
