import { describe, expect, it } from "vitest";
import {
  isMessagingToolDuplicate,
  isMessagingToolDuplicateNormalized,
  normalizeTextForComparison,
  withoutSentTexts,
} from "./sent-texts.ts";

describe("a text as it is compared", () => {
  it.each([
    [" Hello 👋 WORLD 🌍 ", "hello world"],
    [" Deploy 🚀 IS   Done \n", "deploy is done"],
    ["It's done!", "it's done!"],
    ["👍👍", ""],
    ["Build 42 passed", "build 42 passed"],
    ["Hi 🇫🇷 there", "hi there"],
    ["1️⃣ one", "1 one"],
    ["👩‍👩‍👧 family", "family"],
  ])("%j is %j", (text, expected) => {
    expect(normalizeTextForComparison(text)).toBe(expected);
  });
});

describe("a duplicate", () => {
  it.each([
    ["abcdefghi", ["abcdefghi"], false],
    ["abcdefghij", ["abcdefghij"], true],
    ["this mentions hello there", ["hello"], false],
    ["build has finished", ["The build has finished, see logs"], true],
    ["The build has finished", ["the build has finished"], true],
    ["anything at all here", [], false],
    ["The cat sat on the mat", ["The dog ran in the park"], false],
    ["已发送给他了", ["已发送给他了"], true],
    ["好的好", ["好的好"], false],
    ["👍", ["👎"], false],
    // Ten units, and fewer characters as people count them.
    ["e\u0301e\u0301e\u0301e\u0301e\u0301", ["e\u0301e\u0301e\u0301e\u0301e\u0301"], false],
  ])("%j after %j: %j", (text, sent, expected) => {
    expect(isMessagingToolDuplicate(text, sent)).toBe(expected);
  });

  it("is told from normalised texts as they are", () => {
    expect(isMessagingToolDuplicateNormalized("hello world", ["hello world and more"])).toBe(true);
  });
});

describe("a reply after a tool had sent", () => {
  it.each([
    ["the same, it is not sent again", "Deploy finished 🚀", ["deploy finished"], ""],
    ["more than it, it is not sent again", "Deploy finished", ["All is well. Deploy finished. Bye."], ""],
    ["its first paragraph, it goes on behind it", "Deploy finished.\n\n  See the log.", ["Deploy finished."], "See the log."],
    [
      "two of its paragraphs, it goes on behind both",
      "First part here.\n\nSecond part.\n\nEnd.",
      ["Second part.", "First part here."],
      "End.",
    ],
    ["a part of a sentence, it is sent whole", "Deploy finished and all is well.", ["Deploy finished"], "Deploy finished and all is well."],
    ["a sentence in its middle, it is sent whole", "Hm. Deploy finished. Bye.", ["Deploy finished."], "Hm. Deploy finished. Bye."],
    ["a short word that it is, it is not sent again", "Done.", ["Done."], ""],
    ["a short word that it holds, it is sent whole", "Done. And more.", ["Done."], "Done. And more."],
    ["another emoji, it is sent", "👎", ["👍"], "👎"],
    ["nothing, it is sent", "Deploy finished", [""], "Deploy finished"],
  ])("%s", (_name, text, sent, expected) => {
    expect(withoutSentTexts(text, sent)).toBe(expected);
  });
});
