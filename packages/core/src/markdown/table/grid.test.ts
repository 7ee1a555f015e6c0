import { describe, expect, it } from "vitest";
import { gridText } from "./grid.ts";
import { displayWidth, wrapText } from "./width.ts";

describe("displayWidth", () => {
  it("counts wide characters and emoji as two columns and marks as none", () => {
    const widths = {
      abc: 3,
      été: 3,
      "e\u0301": 1,
      名前: 4,
      ﾊ: 1,
      "👨‍👩‍👧": 2,
      "🇩🇪": 2,
      "❤️": 2,
      "✅": 2,
      שלום: 4,
      "\u200b": 0,
    };
    for (const [text, width] of Object.entries(widths)) expect(displayWidth(text), text).toBe(width);
  });
});

describe("wrapText", () => {
  it("breaks at spaces, and words that are too long between graphemes", () => {
    expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrapText("名前名前 x", 5)).toEqual(["名前", "名前", "x"]);
  });
});

describe("gridText", () => {
  it("wraps cells of a grid that is too wide", () => {
    const grid = gridText(
      [
        ["Name", "Notes"],
        ["a", "some words that go on"],
      ],
      [],
      20,
    );
    expect(grid).toBe("Name | Notes\n-----|--------------\na    | some words\n     | that go on");
  });

  it("never grows wider than asked", () => {
    const cells = ["x".repeat(90), "two words", "名前".repeat(20)];
    const grid = gridText([cells, cells], ["right", "center", undefined], 60) ?? "";
    for (const line of grid.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(60);
  });

  it("gives up when even columns of 8 do not fit", () => {
    expect(gridText([Array.from({ length: 9 }, () => "longer than eight")], [], 60)).toBeUndefined();
  });
});
