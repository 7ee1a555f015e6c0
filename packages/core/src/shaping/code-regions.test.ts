import { describe, expect, it } from "vitest";
import { codeAt, findCodeRegions } from "./code-regions.ts";

/** The text with every code region in guillemets. */
function mark(text: string): string {
  let at = 0;
  let out = "";
  for (const { start, end } of findCodeRegions(text)) {
    out += `${text.slice(at, start)}«${text.slice(start, end)}»`;
    at = end;
  }
  return out + text.slice(at);
}

describe("where code is", () => {
  it.each([
    ["plain text", "plain text"],
    ["a `b` c", "a «`b`» c"],
    ["``a ` b`` c", "«``a ` b``» c"],
    ["a ` b", "a ` b"],
    ["\\`a` b `c`", "\\`a«` b `»c`"],
    ["one ` two\n\nthree ` four", "one ` two\n\nthree ` four"],
    ["- one ` two\n- three ` four", "- one ` two\n- three ` four"],
    ["a `b\nc` d", "a «`b\nc`» d"],
    ["```\ncode\n```\nafter", "«```\ncode\n```\n»after"],
    ["~~~js\n```\n~~~\nafter", "«~~~js\n```\n~~~\n»after"],
    ["````\n```\n````", "«````\n```\n````»"],
    ["```\nnever closed", "«```\nnever closed»"],
    ["```inline``` text", "«```inline```» text"],
    ["> ```\n> code\nafter", "«> ```\n> code\n»after"],
    ["    four spaces", "«    four spaces»"],
    ["para\n    continued", "para\n    continued"],
    ["para\n\n    code\nafter", "para\n\n«    code\n»after"],
    ["- item\n\n    its text", "- item\n\n    its text"],
    ["- ```\n  code\n  ```\nafter", "«- ```\n  code\n  ```\n»after"],
    ["a\r\n```\r\ncode\r\n```\r\nb", "a\r\n«```\r\ncode\r\n```\r\n»b"],
  ])("%j", (text, expected) => {
    expect(mark(text)).toBe(expected);
  });

  it("finds the region of an offset, and none outside", () => {
    const regions = findCodeRegions("a `b` c `d` e");
    expect(codeAt(regions, 3)?.start).toBe(2);
    expect(codeAt(regions, 9)?.start).toBe(8);
    expect([0, 5, 6, 11, 99].map((offset) => codeAt(regions, offset))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
