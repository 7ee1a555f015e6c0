import { describe, expect, it } from "vitest";
import { plainProfile } from "./plain.ts";
import { renderParts } from "./render-parts.ts";

const profile = { ...plainProfile, limit: 60 };
const texts = (markdown: string, chunkMode?: "length" | "paragraph"): string[] =>
  renderParts(markdown, profile, chunkMode === undefined ? {} : { chunkMode }).map((part) => part.text);

describe("where a long text is cut", () => {
  const short = "A short one.";
  const long = "This paragraph has\nfifty-five letters,\nso it just fits.";

  it("fills messages unless told otherwise, also with half a paragraph", () => {
    const [first] = texts(`${short}\n\n${long}`);
    expect(first).toBe(`${short}\n\nThis paragraph has\nfifty-five letters,`);
    expect(texts(`${short}\n\n${long}`, "length")).toEqual(texts(`${short}\n\n${long}`));
  });

  it("leaves paragraphs whole when told so, though a message stays short", () => {
    expect(texts(`${short}\n\n${long}\n\n${short}`, "paragraph")).toEqual([short, long, short]);
  });

  it("packs paragraphs that fit together, and cuts one that fits into no message", () => {
    expect(texts(`${short}\n\n${short}`, "paragraph")).toEqual([`${short}\n\n${short}`]);
    const parts = texts(`${short}\n\n${"word ".repeat(40)}`, "paragraph");
    expect(parts[0]).toBe(short);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(60);
    expect(parts.slice(1).join(" ")).toBe("word ".repeat(40).trim());
  });
});

describe("native tables", () => {
  const table = "| A | B |\n|---|---|\n| x | y |";

  it("are what suits the channel where the platform has none", () => {
    const options = { tableMode: "native" } as const;
    expect(renderParts(table, { ...plainProfile, tableMode: "bullets" }, options)[0]?.text).toBe("x\n• B: y");
    expect(renderParts(table, plainProfile, options)[0]?.text).toBe("A   | B\n----|----\nx   | y");
  });
});
