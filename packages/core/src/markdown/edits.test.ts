import { describe, expect, it } from "vitest";
import { editIR, editText } from "./edits.ts";

describe("editText", () => {
  it("maps a start behind an insertion and an end before it", () => {
    const { text, map } = editText("ab", [{ at: 1, remove: 0, insert: "--" }]);
    expect(text).toBe("a--b");
    expect([map.start(1), map.end(1), map.before(1)]).toEqual([3, 1, 1]);
    expect([map.start(0), map.end(2)]).toEqual([0, 4]);
  });

  it("maps through replacements and removals", () => {
    const { text, map } = editText("a\tb\rc", [
      { at: 1, remove: 1, insert: "    " },
      { at: 3, remove: 1, insert: "" },
    ]);
    expect(text).toBe("a    bc");
    expect([map.start(2), map.end(3), map.start(4), map.end(5)]).toEqual([5, 6, 6, 7]);
  });
});

describe("editIR", () => {
  it("drops spans that vanish and keeps what follows an item's text inside the item", () => {
    const { ir } = editIR(
      {
        text: "a\rb",
        styles: [{ start: 1, end: 2, style: "bold" }],
        links: [],
        mentions: [],
        blocks: [{ kind: "list_item", start: 0, end: 3, depth: 1, ordered: false, number: 0 }],
      },
      [
        { at: 1, remove: 1, insert: "" },
        { at: 3, remove: 0, insert: " (x)" },
      ],
    );
    expect(ir).toMatchObject({ text: "ab (x)", styles: [], blocks: [{ start: 0, end: 6 }] });
  });
});
