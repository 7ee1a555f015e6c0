import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinAtSeam, LEAST_OVERLAP, LEAST_OVERLAP_CJK, withoutBlocks, withoutOverlap } from "./seam.ts";

/** Text with much repetition in it, so that seams overlap in many ways, and with characters of two units. */
const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "👩", "好", "."), maxLength: 60 });
const least = (overlap: string): number => (overlap.includes("好") ? LEAST_OVERLAP_CJK : LEAST_OVERLAP);
const letters = (value: string): string => value.replace(/\s+/g, "");

describe("the seam of a continuation", () => {
  it.each([
    ["nothing repeated", "It was late.", "The rain fell.", "The rain fell."],
    ["the last words repeated", "It was late, and the rain fell", "and the rain fell on the roof.", " on the roof."],
    ["across a line end", "It was late,\nand the rain fell", "and the\n\nrain  fell on the roof.", " on the roof."],
    ["everything repeated", "Hi.", "Hi. How are you?", " How are you?"],
    ["everything said again and no more", "It was late.", "It was late.", ""],
    ["a word that may be chance", "Look at the", "the rain", "the rain"],
    ["everything, but within a word", "No", "Nothing at all.", "Nothing at all."],
    ["a few characters that are words", "天黑了，雨落在", "雨落在屋顶上。", "雨落在屋顶上。"],
    ["some more of them", "天黑了，雨落在城里", "雨落在城里的屋顶上。", "的屋顶上。"],
    ["everything, in a script without spaces", "好的", "好的我来", "我来"],
    ["nothing delivered", "", "the rain", "the rain"],
    ["nothing more to say", "It was late.", "", ""],
  ])("%s", (_, delivered, continuation, added) => {
    expect(withoutOverlap(delivered, continuation)).toBe(added);
  });

  it("takes only from the beginning, and only what people have", () => {
    fc.assert(
      fc.property(text, text, (delivered, continuation) => {
        const added = withoutOverlap(delivered, continuation);
        expect(continuation.endsWith(added)).toBe(true);
        expect(letters(delivered).endsWith(letters(continuation.slice(0, continuation.length - added.length)))).toBe(true);
      }),
    );
  });

  it("takes every repetition that is long enough, and none that is too short", () => {
    fc.assert(
      fc.property(text, text, fc.nat(60), (delivered, more, from) => {
        const repeated = delivered.slice(from);
        const added = letters(withoutOverlap(delivered, repeated + more));
        if (letters(repeated).length >= LEAST_OVERLAP) expect(added.length).toBeLessThanOrEqual(letters(more).length);
      }),
    );
    fc.assert(
      fc.property(text, text, (delivered, continuation) => {
        const taken = letters(continuation).length - letters(withoutOverlap(delivered, continuation)).length;
        expect(taken === 0 || taken >= least(letters(continuation).slice(0, taken)) || taken === letters(delivered).length).toBe(true);
      }),
    );
  });

  it("never cuts a character in two", () => {
    fc.assert(
      fc.property(text, text, (delivered, more) => {
        expect(withoutOverlap(delivered, delivered + more)).not.toMatch(/^[\uDC00-\uDFFF]/);
      }),
    );
  });

  it("is linear in time, also for what repeats itself", () => {
    const much = "ab".repeat(200_000);
    expect(withoutOverlap(`${much}a`, `${much}b`)).toBe("bb");
  });
});

describe("a message that was cut off and went on", () => {
  it.each([
    ["It was late.", "The rain fell.", "It was late.\n\nThe rain fell."],
    ["It was late, and the", "rain fell.", "It was late, and the rain fell."],
    ["It was late, and the", " rain fell.", "It was late, and the rain fell."],
    ["It was late, and the rain", "late, and the rain fell.", "It was late, and the rain fell."],
    ["It was late.", "", "It was late."],
    ["It was late.", " \n", "It was late."],
  ])("%j and %j", (delivered, continuation, whole) => {
    expect(joinAtSeam(delivered, continuation)).toBe(whole);
  });

  it("begins with what people have, so that the rest is what they do not have", () => {
    fc.assert(
      fc.property(text, text, (delivered, continuation) => {
        const whole = joinAtSeam(delivered, continuation);
        expect(whole.startsWith(delivered)).toBe(true);
        expect(letters(withoutBlocks(whole, [delivered]))).toBe(letters(withoutOverlap(delivered, continuation)));
      }),
    );
  });
});

describe("a message without its blocks", () => {
  it.each([
    ["A.\n\nB.\n\nC.", ["A.", "B."], "C."],
    ["A.\n\nB.", ["A.", "B."], ""],
    ["A.\n\nB.", ["Working on it.", "A."], "B."],
    ["A.\n\nB.", ["B."], "A.\n\nB."],
    ["Code:\n\n    indented", ["Code:"], "    indented"],
    ["A b.", ["A"], " b."],
    ["Nothing.", ["No"], "Nothing."],
    ["A.", [], "A."],
    ["A.", ["", " "], "A."],
  ])("%j without %j", (message, blocks, rest) => {
    expect(withoutBlocks(message, blocks)).toBe(rest);
  });

  it("is what stands behind them, however a message is cut", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (blocks, rest) => {
        expect(letters(withoutBlocks([...blocks, rest].join("\n\n"), blocks))).toBe(letters(rest));
      }),
    );
  });
});
