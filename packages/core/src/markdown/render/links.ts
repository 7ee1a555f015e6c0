import type { LinkRules, MarkdownIR, MarkdownLinkSpan } from "@trunkline/plugin-sdk";
import { editIR, type TextEdit } from "../edits.ts";
import { isDeceptiveLabel, printedTarget, schemeOf } from "../links.ts";

/**
 * Decides for every link whether it stays a link of the platform or is printed as `label (target)`, and prints those. What is left are
 * links that the channel can show, and bare URLs (target equal to text). A target of more than `longest` characters is printed: it would leave no
 * room for the label, and printed it can be cut. One of more than twice that fits into no message: it is text, since half an address leads nowhere.
 */
export function settleLinks(ir: MarkdownIR, rules: LinkRules, longest = Infinity): MarkdownIR {
  if (ir.links.length === 0) return ir;
  const kept: MarkdownLinkSpan[] = [];
  const edits: TextEdit[] = [];
  const printed: { readonly at: number; readonly href: string }[] = [];
  for (const link of ir.links) {
    const label = ir.text.slice(link.start, link.end);
    const scheme = schemeOf(link.href) ?? "";
    const linkable = rules.schemes.includes(scheme);
    const bare = label === link.href || label === printedTarget(link.href);
    const honest = bare || (link.href.length <= longest && !isDeceptiveLabel(label, link.href));
    if (bare || (rules.form === "mask" && linkable && honest && (rules.canMask?.(label) ?? true))) {
      if (linkable && link.href.length <= longest * 2) kept.push(link);
    } else {
      const target = printedTarget(link.href);
      edits.push({ at: link.end, remove: 0, insert: ` (${target})` });
      if (linkable && target.length <= longest * 2) printed.push({ at: link.end, href: target });
    }
  }
  edits.sort((a, b) => a.at - b.at);
  const { ir: edited, map } = editIR({ ...ir, links: kept }, edits);
  const targets = printed.map(({ at, href }) => {
    const start = map.end(at) + 2;
    return { start, end: start + href.length, href };
  });
  return { ...edited, links: [...edited.links, ...targets].sort((a, b) => a.start - b.start) };
}
