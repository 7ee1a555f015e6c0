import { describe, expect, it } from "vitest";
import { buttonAt, buttonsOf, buttonsWire } from "./buttons.ts";

const part = (buttons: unknown) => ({ channelData: { buttons } });

describe("buttons", () => {
  it("come in rows or as one, and are numbered through all rows; values stay on the server", () => {
    const rows = part([
      [
        { text: "Yes", value: "yes please" },
        { text: "No", value: "no" },
      ],
      [{ text: "Docs", url: "https://example.org/" }],
    ]);
    expect(buttonsWire(rows)).toEqual([
      [
        { n: 0, text: "Yes" },
        { n: 1, text: "No" },
      ],
      [{ n: 2, text: "Docs", url: "https://example.org/" }],
    ]);
    expect(buttonAt(rows, 1)).toEqual({ text: "No", value: "no" });
    expect(buttonAt(rows, 7)).toBeUndefined();
    expect(buttonsOf(part([{ text: "One", value: "1" }]))).toEqual([[{ text: "One", value: "1" }]]);
  });

  it("are left out when they are none, or would lead to a script", () => {
    for (const bad of [
      null,
      1,
      "x",
      {},
      { text: "" },
      { text: "x" },
      { text: "x", value: " " },
      { text: "x", url: "javascript:alert(1)" },
      { text: "x", value: "y".repeat(5000) },
    ]) {
      expect(buttonsOf(part([bad])), JSON.stringify(bad).slice(0, 60)).toEqual([]);
    }
    for (const bad of [undefined, null, "x", {}, [[], "x"]]) expect(buttonsOf(part(bad))).toEqual([]);
    expect(buttonsOf({})).toEqual([]);
    expect(buttonsOf(part(Array.from({ length: 100 }, () => ({ text: "x", value: "y" }))))[0]).toHaveLength(24);
  });
});
