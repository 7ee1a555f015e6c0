import { describe, expect, it } from "vitest";
import { removeRanges } from "./removal.ts";

/** Takes out every `#x#`. */
function removeMarks(text: string): string {
  return removeRanges(
    text,
    [...text.matchAll(/#x#/g)].map((match) => ({ start: match.index, end: match.index + 3 })),
  );
}

describe("taking a range out of a text", () => {
  it.each([
    ["#x# yes", "yes"],
    ["#x#yes", "yes"],
    ["yes #x#", "yes"],
    ["one #x# two", "one two"],
    ["one#x# two", "one two"],
    ["one #x#two", "one two"],
    ["one #x#, two", "one, two"],
    ["one  #x# two", "one  two"],
    ["a #x# #x# b", "a b"],
    ["#x#\nyes", "yes"],
    ["  #x#  \n    yes", "    yes"],
    ["one\n#x#\ntwo", "one\ntwo"],
    ["one\n#x# #x#\ntwo", "one\ntwo"],
    ["one\n#x#", "one"],
    ["#x#\n\n    code", "    code"],
    ["one\n\n#x#\n\ntwo", "one\n\n\ntwo"],
    ["  #x# one", "  one"],
    ["one #x#\ntwo", "one\ntwo"],
    ["#x#", ""],
    [" \n#x#\n ", ""],
    ["a\r\n#x#\r\nb", "a\r\nb"],
  ])("%j leaves %j", (text, expected) => {
    expect(removeMarks(text)).toBe(expected);
  });

  it("changes nothing when there is nothing to take out", () => {
    const text = " \n  a  \t\n\n";
    expect(removeRanges(text, [])).toBe(text);
  });
});
