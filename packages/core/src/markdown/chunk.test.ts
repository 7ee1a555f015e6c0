import { describe, expect, it } from "vitest";
import type { MarkdownIR, RenderProfile } from "@trunkline/plugin-sdk";
import { chunkIR } from "./chunk.ts";
import { markdownToIR } from "./ir.ts";
import { plainProfile } from "./plain.ts";
import { renderParts } from "./render-parts.ts";

/** Spans, so that what a chunk carries is visible without markup. */
const spans: RenderProfile = { ...plainProfile, output: "spans", limit: 40, maxSpans: 100 };

function texts(markdown: string, limit: number, profile = spans): string[] {
  return renderParts(markdown, profile, { limit }).map((part) => part.text);
}

describe("chunkIR", () => {
  it("leaves what fits in one piece", () => {
    const ir = markdownToIR("short **text**");
    expect(chunkIR(ir, spans)).toEqual([ir]);
  });

  it("gives nothing for text that nobody would see", () => {
    for (const markdown of ["", "  \n", "\u200b", "```\n```", ">", "[](javascript:x)"]) expect(renderParts(markdown, spans)).toEqual([]);
  });

  it("prefers paragraphs, then lines, then sentences, then words, then graphemes", () => {
    expect(texts("One two three.\n\nFour five six.\n\nSeven", 32)).toEqual(["One two three.\n\nFour five six.", "Seven"]);
    expect(texts("line one is here\nline two is here\nline three", 40)).toEqual(["line one is here\nline two is here", "line three"]);
    expect(texts("A first sentence. A second one follows it here", 30)).toEqual(["A first sentence.", "A second one follows it here"]);
    expect(texts("alpha beta gamma", 11)).toEqual(["alpha beta", "gamma"]);
    expect(texts("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(texts("第一句话结束。第二句话也结束。", 10)).toEqual(["第一句话结束。", "第二句话也结束。"]);
  });

  it("keeps a list item whole when it fits, even if the chunk before it stays short", () => {
    expect(texts("- ab\n- one two three four five six\n  seven", 40)).toEqual(["- ab", "- one two three four five six\n  seven"]);
  });

  it("keeps a parenthesis together", () => {
    expect(texts("some words first (and a note in here) and more", 30)).toEqual(["some words first", "(and a note in here) and more"]);
  });

  it("goes on in an item without repeating its marker", () => {
    expect(texts("7. one two three four five six seven", 20)).toEqual(["7. one two three", "four five six seven"]);
  });

  it("closes styles and links at a border and opens them again", () => {
    const chunks = chunkIR(markdownToIR("**bold words here [and a link](https://e.example)** tail"), spans, { limit: 16 });
    expect(chunks.map((chunk) => chunk.text)).toEqual(["bold words here", "and a link tail"]);
    expect(chunks.map((chunk) => chunk.styles)).toEqual([[{ start: 0, end: 15, style: "bold" }], [{ start: 0, end: 10, style: "bold" }]]);
    expect(chunks[1]?.links).toEqual([{ start: 0, end: 10, href: "https://e.example" }]);
  });

  it("repeats the language of a fence, and keeps indentation and blank lines", () => {
    const parts = renderParts("```py\ndef f():\n    if 1:\n\n        return 2\n```", spans, {
      limit: 20,
    });
    expect(parts.map((part) => part.text)).toEqual(["def f():\n    if 1:", "        return 2"]);
    for (const part of parts) expect(part.entities).toEqual([{ type: "pre", offset: 0, length: part.text.length, language: "py" }]);
  });

  it("measures what is sent, prefixes and escapes included", () => {
    const heavy: RenderProfile = {
      ...plainProfile,
      escape: { ...plainProfile.escape, text: (text) => text.replaceAll("&", "&amp;") },
    };
    const parts = renderParts("&".repeat(100), heavy, { limit: 50 });
    for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(50);
    expect(parts.map((part) => part.plain).join("")).toBe("&".repeat(100));
  });

  it("measures in the unit of the channel", () => {
    const bytes: RenderProfile = {
      ...plainProfile,
      measure: (text) => new TextEncoder().encode(text).length,
    };
    for (const part of renderParts("名前 ".repeat(50), bytes, { limit: 40 }))
      expect(new TextEncoder().encode(part.text).length).toBeLessThanOrEqual(40);
  });

  it("splits by number of entities too, and loses none of the text", () => {
    const parts = renderParts("**a** b ".repeat(250), spans, { limit: 4096 });
    for (const part of parts) expect(part.entities?.length).toBeLessThanOrEqual(100);
    expect(parts.map((part) => part.text).join(" ")).toBe("a b ".repeat(250).trim());
  });

  it("fills a part with bare links, which cost no entity, as with any text", () => {
    const [first] = renderParts("https://e.co ".repeat(600), spans, { limit: 4096 });
    expect(first?.length).toBeGreaterThan(4000);
  });

  it("gives way when a prefix alone is wider than the limit", () => {
    expect(texts("- - - - abc", 5).join("")).toContain("abc");
    for (const text of texts("> > > > > > name", 4)) expect(text.length).toBeLessThanOrEqual(4);
  });

  it("cuts a cluster that is longer than a message between its code points", () => {
    const parts = texts(`x${"\u0301".repeat(50)}`, 20);
    expect(parts.join("")).toBe(`x${"\u0301".repeat(50)}`.normalize());
    for (const text of parts) expect(text.length).toBeLessThanOrEqual(20);
  });

  it("keeps a rule at the very end", () => {
    expect(texts("one two three\n\n***", 14)).toEqual(["one two three", "---"]);
  });

  it("cuts an IR that was made by hand", () => {
    const ir: MarkdownIR = {
      text: "ab cd",
      styles: [{ start: 0, end: 5, style: "italic" }],
      links: [],
      mentions: [],
      blocks: [],
    };
    expect(chunkIR(ir, spans, { limit: 3 }).map((chunk) => chunk.text)).toEqual(["ab", "cd"]);
  });
});
