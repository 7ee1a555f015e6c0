import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.ts";
import { endOf, isCode, isQuote, isSplittable } from "./entity-kinds.ts";
import { ENTITY_LIMIT, readFormatting, storeText, type SentText } from "./formatted-text.ts";
import { splitsPair } from "./offsets.ts";

const RUNS = 500;
const GONE = ["\r", "\t", "\u2028", "\u0333"];

// Markup characters, blanks, characters that the server removes, and characters of one to four bytes.
const unit = fc.constantFrom(
  ..."<>/&;#=\"'ab_*[]()~`>|!\\\n \t\r\u2028\u0333é漢😀",
  "<b>",
  "</b>",
  "<code>",
  "</code>",
  "```",
  "||",
  "\n>",
);
const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
const type = fc.constantFrom("bold", "italic", "underline", "spoiler", "code", "pre", "blockquote", "expandable_blockquote");
// Short enough to lie inside the text mostly, dense enough to cross each other.
const entity = fc.record({ type, offset: fc.nat(16), length: fc.nat(10) });
const longText = fc.array(unit, { minLength: 25, maxLength: 40 }).map((units) => units.join(""));

function check(sent: SentText): void {
  let stored;
  try {
    stored = storeText(readFormatting(sent, () => undefined));
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).description).toMatch(/^Bad Request: \S/);
    return;
  }
  expect(stored.text).toBe(stored.text.trim());
  expect(GONE.filter((char) => stored.text.includes(char))).toEqual([]);
  expect(stored.entities.length).toBeLessThanOrEqual(ENTITY_LIMIT);
  for (const [index, one] of stored.entities.entries()) {
    expect(one.length).toBeGreaterThan(0);
    expect(endOf(one)).toBeLessThanOrEqual(stored.text.length);
    expect(splitsPair(stored.text, one.offset) || splitsPair(stored.text, endOf(one))).toBe(false);
    for (const other of stored.entities.slice(index + 1)) {
      const apart = endOf(one) <= other.offset;
      const nested = endOf(other) <= endOf(one);
      expect(apart || nested).toBe(true);
      if (apart) continue;
      expect(isQuote(one.type) && isQuote(other.type)).toBe(false);
      expect((isCode(one.type) && isSplittable(other.type)) || (isSplittable(one.type) && isCode(other.type))).toBe(false);
    }
  }
}

describe("any text", () => {
  it.each(["HTML", "MarkdownV2", "Markdown"])("in %s is refused in words or stored well-formed", (parseMode) => {
    fc.assert(
      fc.property(text, (source) => check({ text: source, parseMode, entities: undefined })),
      { numRuns: RUNS },
    );
  });

  it("with any entities is refused in words or stored well-formed", () => {
    fc.assert(
      fc.property(longText, fc.array(entity, { maxLength: 8 }), (source, entities) => check({ text: source, parseMode: "", entities })),
      { numRuns: RUNS },
    );
  });
});
