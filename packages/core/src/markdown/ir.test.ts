import { describe, expect, it } from "vitest";
import { markdownToIR, markdownToIRWithMeta } from "./ir.ts";

describe("markdownToIR", () => {
  it("has visible text only, without glyphs and prefixes", () => {
    expect(markdownToIR("# T\n\n- a\n- b\n  1. c\n\n> q\n\n***\n\nend").text).toBe("T\n\na\nb\nc\n\nq\n\n\n\nend");
  });

  it("records styles in document order, outer before inner", () => {
    expect(markdownToIR("**a _b_ c** ~~d~~ `e` ||f||").styles).toEqual([
      { start: 0, end: 5, style: "bold" },
      { start: 2, end: 3, style: "italic" },
      { start: 6, end: 7, style: "strikethrough" },
      { start: 8, end: 9, style: "code" },
      { start: 10, end: 11, style: "spoiler" },
    ]);
  });

  it("counts UTF-16 units", () => {
    expect(markdownToIR("😀 **b**").styles).toEqual([{ start: 3, end: 4, style: "bold" }]);
  });

  it("describes lists with depth, number and task", () => {
    const items = markdownToIR("3. a\n   - [x] b\n4. [ ] c").blocks;
    expect(items).toEqual([
      { kind: "list_item", start: 0, end: 3, depth: 1, ordered: true, number: 3 },
      { kind: "list_item", start: 2, end: 3, depth: 2, ordered: false, number: 0, task: "done" },
      { kind: "list_item", start: 4, end: 5, depth: 1, ordered: true, number: 4, task: "open" },
    ]);
  });

  it("keeps the first word of a fence as its language, and blank lines and indentation inside", () => {
    const ir = markdownToIR('```js {1,3} title="x"\n  a\n\n  b\n\n```');
    expect(ir.text).toBe("  a\n\n  b\n");
    expect(ir.blocks).toEqual([{ kind: "code_block", start: 0, end: 9, language: "js" }]);
    expect(markdownToIR("```ts{1}\na\n```").blocks).toMatchObject([{ language: "ts" }]);
  });

  it("gives a refused scheme no link, and hides no label", () => {
    const ir = markdownToIR(
      "[a](javascript:alert(1)) [b](file:///etc/x) [c](tg://user?id=1) [d](data:text/html,x) [e](C:\\x) [f](java&#10;script:1)",
    );
    expect(ir.text).toBe("a b c d e f");
    expect(ir.links).toEqual([]);
  });

  it("makes mentions of permitted ids only", () => {
    const markdown = "[ann](mention:42) [bob](mention:43)";
    expect(markdownToIR(markdown, { mentions: new Set(["42"]) }).mentions).toEqual([{ start: 0, end: 3, target: "42" }]);
    expect(markdownToIR(markdown)).toMatchObject({ text: "ann bob", mentions: [], links: [] });
  });

  it("shows an image as its alt text, or its address, inside a link only as text", () => {
    expect(markdownToIR("![cat](https://e.example/c.png)")).toMatchObject({
      text: "cat",
      links: [{ href: "https://e.example/c.png" }],
    });
    expect(markdownToIR("![](https://e.example/c.png)").text).toBe("https://e.example/c.png");
    expect(markdownToIR("[![b](https://e.example/b.svg)](https://e.example)").links).toEqual([
      { start: 0, end: 1, href: "https://e.example" },
    ]);
    expect(markdownToIR("![](javascript:x)").text).toBe("");
  });

  it("leaves tables as they were written unless told otherwise", () => {
    const markdown = "| A | B |\n|---|---|\n| 1 | 2 |";
    expect(markdownToIRWithMeta(markdown)).toMatchObject({
      ir: { text: markdown },
      hasTables: false,
    });
    expect(markdownToIRWithMeta(markdown, { tableMode: "code" })).toMatchObject({
      ir: { text: "A   | B\n----|----\n1   | 2" },
      hasTables: true,
    });
  });

  it("knows every cell of a native table", () => {
    const ir = markdownToIR("| A | B |\n|:-:|---|\n| 1 | **2** |", { tableMode: "native" });
    expect(ir.blocks).toMatchObject([{ kind: "table", align: ["center", undefined] }]);
    const [table] = ir.blocks;
    const cells = table?.kind === "table" ? table.rows.map((row) => row.map((cell) => ir.text.slice(cell.start, cell.end))) : [];
    expect(cells).toEqual([
      ["A", "B"],
      ["1", "2"],
    ]);
    expect(ir.styles).toHaveLength(1);
  });

  it("loses no table to bullets: one column, headers alone, empty cells", () => {
    const bullets = (markdown: string): string => markdownToIR(markdown, { tableMode: "bullets" }).text;
    expect(bullets("| A | B | C |\n|---|---|---|\n| 1 | 2 | |\n| | 3 | 4 |")).toBe("1\n• B: 2\n\n• B: 3\n• C: 4");
    expect(bullets("| Only |\n|---|\n| a |\n| b |")).toBe("• Only: a\n• Only: b");
    expect(bullets("| A | B |\n|---|---|")).toBe("A\n• B");
  });

  it("removes characters that reorder text, also when written as entities", () => {
    expect(markdownToIR("a\u202eb &#8238;c `d\u2066e`").text).toBe("ab c de");
  });

  it("drops code that has nothing in it", () => {
    expect(markdownToIR("a\n\n```\n\n```\n\nb").text).toBe("a\n\nb");
  });
});
