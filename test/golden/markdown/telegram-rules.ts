import { expect } from "vitest";
import type { MessageEntity, RenderedPart } from "@trunkline/plugin-sdk";

const CODE = new Set<MessageEntity["type"]>(["code", "pre"]);
const STYLES = new Set<MessageEntity["type"]>(["bold", "italic", "strikethrough", "spoiler"]);

/**
 * The rules by which the Bot API takes entities, written after the platform's own words: at most 100, inside the text, on whole characters, one
 * in the other or apart; only styles in links, nothing in code, no quote in anything.
 * Source: core.telegram.org/bots/api#messageentity, #formatting-options; td MessageEntity.cpp.
 */
export function entityFaults({ text, entities = [] }: Pick<RenderedPart, "text" | "entities">): readonly string[] {
  const faults: string[] = [];
  if (entities.length > 100) faults.push(`${entities.length} entities`);
  if (!text.isWellFormed()) faults.push("half a surrogate pair");
  if (text !== text.trimEnd()) faults.push("white space at the end");
  for (const [index, a] of entities.entries()) {
    const end = a.offset + a.length;
    if (a.length <= 0 || a.offset < 0 || end > text.length) faults.push(`${a.type} is outside of the text`);
    if (!text.slice(0, a.offset).isWellFormed() || !text.slice(0, end).isWellFormed()) faults.push(`${a.type} cuts a character`);
    if (text.slice(a.offset, end).trim() === "") faults.push(`${a.type} of white space`);
    if (a.type === "text_link" && !/^https?:\/\//.test(a.url ?? "")) faults.push(`a link to ${a.url}`);
    for (const b of entities.slice(index + 1)) {
      if (b.offset < a.offset) faults.push("not in order");
      if (b.offset >= end) continue;
      if (b.offset + b.length > end) faults.push(`${a.type} crosses ${b.type}`);
      if (CODE.has(a.type)) faults.push(`${b.type} in code`);
      if (b.type === "blockquote") faults.push(`a quote in ${a.type}`);
      if (a.type === "text_link" && !STYLES.has(b.type)) faults.push(`${b.type} in a link`);
    }
  }
  return faults;
}

/** Fails when the Bot API would refuse or repair the part. */
export function expectAcceptable(part: Pick<RenderedPart, "text" | "entities">): void {
  expect(entityFaults(part)).toEqual([]);
}
