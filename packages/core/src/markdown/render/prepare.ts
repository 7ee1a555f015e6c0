import type { CleanRule, MarkdownIR, MarkdownStyleSpan, RenderProfile } from "@trunkline/plugin-sdk";
import { editIR, type TextEdit } from "../edits.ts";
import { settleLinks } from "./links.ts";

/**
 * Makes an IR ready for one channel, once per text and before it is cut: names that must not become links are code, targets that cannot
 * be links are text, and the text is what the platform would make of it. `room` is the size of one message; null for no limit.
 */
export function prepareIR(ir: MarkdownIR, profile: RenderProfile, room: number | null = profile.limit): MarkdownIR {
  const named = profile.codeNames === undefined ? ir : codeNames(ir, profile.codeNames);
  // In spans a target is beside the text and takes no room.
  const longest = profile.output === "spans" || room === null ? Infinity : room / 2;
  const linked = settleLinks(named, profile.link, longest);
  return profile.clean === undefined ? linked : cleanText(linked, profile.clean);
}

/** Marks bare names as code, where they are in no code and no link. */
function codeNames(ir: MarkdownIR, pattern: RegExp): MarkdownIR {
  const found: MarkdownStyleSpan[] = [];
  const taken = rangeTest([...ir.styles.filter((span) => span.style === "code" || span.style === "code_block"), ...ir.links]);
  for (const match of ir.text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    if (!taken(start, end)) found.push({ start, end, style: "code" });
  }
  if (found.length === 0) return ir;
  return {
    ...ir,
    styles: [...ir.styles, ...found].sort((a, b) => a.start - b.start || b.end - a.end),
  };
}

/** Replaces what the platform would replace, in code and outside. */
function cleanText(ir: MarkdownIR, rule: CleanRule): MarkdownIR {
  const edits: TextEdit[] = [];
  const inCode = rangeTest(ir.styles.filter((span) => span.style === "code" || span.style === "code_block"));
  for (const match of ir.text.matchAll(rule.pattern)) {
    const insert = rule.replace(match[0], inCode(match.index, match.index + 1));
    edits.push({ at: match.index, remove: match[0].length, insert });
  }
  return editIR(ir, edits).ir;
}

/** Whether a range touches any of the spans. Asked with growing ranges, it costs one pass in all. */
function rangeTest(spans: readonly { readonly start: number; readonly end: number }[]): (start: number, end: number) => boolean {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let next = 0;
  let reach = -1;
  return (start, end) => {
    for (; next < sorted.length && (sorted[next]?.start ?? 0) < end; next += 1) reach = Math.max(reach, sorted[next]?.end ?? 0);
    return reach > start;
  };
}
