import { describe, expect, it } from "vitest";
import { BLOCK_MAX, BLOCK_MIN, nextBlockEnd } from "./block-cut.ts";

const words = (length: number): string => "It goes on. ".repeat(Math.ceil(length / 12)).slice(0, length);
const cut = (text: string, idle = false) => nextBlockEnd(text, { idle, silentToken: "NO_REPLY" });

describe("the end of a block", () => {
  it("is a paragraph's, as long as the block is not too long", () => {
    const text = `${words(900)}\n\n${words(100)}`;
    expect(cut(text)).toBe(902);
    expect(cut(words(1100))).toBeUndefined();
    expect(cut(`${words(700)}\n\nmore`)).toBeUndefined();
  });

  it("is a sentence's when no paragraph ends in time, or when the answer rests", () => {
    for (const end of [cut(words(1500)), cut(words(1000), true)]) {
      expect(end).toBeGreaterThanOrEqual(BLOCK_MIN);
      expect(end).toBeLessThanOrEqual(BLOCK_MAX);
      expect(words(1500).slice(0, end)).toMatch(/\. $/);
    }
  });

  it("is never inside code", () => {
    const fence = `${words(700)}\n\n\`\`\`js\n${"code();\n\n".repeat(80)}`;
    expect(cut(fence, true)).toBeUndefined();
    const closed = `${fence}\`\`\`\nand then more`;
    expect(closed.slice(0, cut(closed, true))).toMatch(/```\n$/);
  });

  it("is never where a tag hides what follows, or may yet", () => {
    expect(cut(`<think>${words(1500)}`, true)).toBeUndefined();
    expect(cut(`${words(900)}\n\n<think>${words(100)}`, true)).toBe(902);
  });
});
