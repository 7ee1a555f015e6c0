import { describe, expect, it } from "vitest";
import type { BlockRules } from "@trunkline/plugin-sdk";
import { markdownToIR } from "../ir.ts";
import { plainProfile } from "../plain.ts";
import { headingStyles, layoutIR } from "./layout.ts";

function lay(markdown: string, rules: Partial<BlockRules> = {}): string {
  return layoutIR(markdownToIR(markdown), { ...plainProfile.blocks, ...rules }).ir.text;
}

describe("layoutIR", () => {
  it("writes markers, numbers and indentation", () => {
    expect(lay("9. a\n   wrapped\n   - b\n10. c\n    - d\n      e")).toBe("9. a\n   wrapped\n   - b\n10. c\n    - d\n      e");
    expect(lay("- a\n  - b\n    1. c", { bullets: ["• ", "◦ "], indent: 4 })).toBe("• a\n    ◦ b\n        1. c");
  });

  it("writes task boxes with or without the bullet", () => {
    const tasks = { open: "☐ ", done: "☑ ", keepBullet: false };
    expect(lay("- [ ] a\n- [x] b\n\n1. [X] c", { tasks })).toBe("☐ a\n☑ b\n\n1. ☑ c");
    expect(lay("- [ ] a")).toBe("- [ ] a");
  });

  it("prefixes every line of a quote, blank ones and code too", () => {
    expect(lay("> a\n>\n> - b\n>\n> ```\n> c\n> ```")).toBe("> a\n> \n> - b\n> \n> c");
    expect(lay("> a\n>\n> ```\n> c\n> ```", { prefixCode: false })).toBe("> a\n> \nc");
  });

  it("takes code out of list indentation, its marker on a line of its own", () => {
    expect(lay("- a\n  ```\n  x\n    y\n  ```\n- ```\n  z\n  ```")).toBe("- a\nx\n  y\n-\nz");
  });

  it("puts a quote in a list behind the item's indentation", () => {
    expect(lay("1. item\n   > quoted\n   > more\n2. after")).toBe("1. item\n\n   > quoted\n   > more\n2. after");
  });

  it("writes heading prefixes, rules and math marks", () => {
    const headings = Array.from({ length: 6 }, (_, level) => ({
      prefix: `${"#".repeat(level + 1)} `,
    }));
    expect(lay("## T\n\n---\n\n$x$", { headings, hr: "====" })).toBe("## T\n\n====\n\n$x$");
  });

  it("styles a heading once, whatever is bold inside", () => {
    const headings = Array.from({ length: 6 }, () => ({ prefix: "", style: "bold" as const }));
    const styles = headingStyles(markdownToIR("# a **b** *c*\n\n**d**"), { ...plainProfile.blocks, headings });
    expect(styles).toEqual([
      { start: 0, end: 5, style: "bold" },
      { start: 4, end: 5, style: "italic" },
      { start: 7, end: 8, style: "bold" },
    ]);
  });

  it("drops bold inside a heading that the platform shows in bold, and gives every line of it the prefix", () => {
    const rules = { ...plainProfile.blocks, headings: [{ prefix: "# ", bold: true }] };
    expect(headingStyles(markdownToIR("# a **b** *c*\n\n**d**"), rules).map(({ style }) => style)).toEqual(["italic", "bold"]);
    expect(lay("a\nb\n===\n\nc", rules)).toBe("# a\n# b\n\nc");
  });

  it("tells where quotes are that the platform draws, their own prefixes inside", () => {
    const { ir, quotes } = layoutIR(markdownToIR("a\n\n> - b\n> - c\n\n- d\n  > e"), {
      ...plainProfile.blocks,
      quotes: "native",
    });
    expect(quotes.map(({ start, end }) => ir.text.slice(start, end))).toEqual(["- b\n- c"]);
  });
});
