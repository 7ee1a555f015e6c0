import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./parser.ts";
import { shortcodeCharacter } from "./shortcodes.ts";

function types(markdown: string, tables = true): string[] {
  return parseMarkdown(markdown, { tables, linkify: true }).flatMap((token) => [
    token.type,
    ...(token.children ?? []).map((child) => child.type),
  ]);
}

/** Visible text of inline content, marks of spans dropped. */
function text(markdown: string): string {
  return parseMarkdown(markdown, { tables: true, linkify: true })
    .flatMap((token) => token.children ?? [])
    .map((child) => child.content)
    .join("");
}

function hrefs(markdown: string): string[] {
  return parseMarkdown(markdown, { tables: true, linkify: true })
    .flatMap((token) => token.children ?? [])
    .filter((child) => child.type === "link_open")
    .map((child) => String(child.attrGet("href")));
}

describe("parseMarkdown", () => {
  it("finds bold next to full-width punctuation", () => {
    for (const markdown of ["**步骤一：**打开设置", "**小结（草稿）。**下一步", "**完成！**可以关闭"])
      expect(types(markdown)).toContain("strong_open");
    expect(types("~~旧价（含税）。~~新价见下")).toContain("s_open");
  });

  it("takes HTML as text", () => {
    expect(types("<b>x</b>\n\n<div>\ny\n</div>").filter((type) => type.startsWith("html"))).toEqual([]);
    expect(text("<b>x</b>")).toBe("<b>x</b>");
  });

  it("pairs spoilers that touch their text and leaves a logical or alone", () => {
    expect(types("a ||b|| c")).toContain("spoiler_open");
    for (const literal of ["if (a || b || c)", "a||b||c", "||a", "|||| a", "`||a||`"]) expect(types(literal)).not.toContain("spoiler_open");
  });

  it("tells math from prices and variables", () => {
    expect(types("$x^2$ and $$y$$").filter((type) => type === "math_inline")).toHaveLength(2);
    for (const literal of ["$5 or $10", "$5, earns 10$", "$HOME/$USER", "$5-$10", "US$3 and A$4"])
      expect(types(literal)).not.toContain("math_inline");
    expect(types("$$\na\n\nb\n$$")).toEqual(["math_block"]);
    expect(types("$$\nnever closed")).not.toContain("math_block");
  });

  it("ends a bare URL before sentence punctuation, unpaired brackets and full-width text", () => {
    expect(hrefs("(https://a.example/x). See https://a.example/Foo_(bar), **https://a.example/b**")).toEqual([
      "https://a.example/x",
      "https://a.example/Foo_(bar)",
      "https://a.example/b",
    ]);
    expect(hrefs("详见https://a.example/a，谢谢。链接：https://a.example/b。")).toEqual(["https://a.example/a", "https://a.example/b"]);
    expect(hrefs("https://a.example/x/_draft_ http://a.example/k_l")).toEqual(["https://a.example/x/_draft_", "http://a.example/k_l"]);
    expect(hrefs("example.com, a@example.com, xhttps://a.example, https:// alone")).toEqual([]);
  });

  it("can leave bare URLs alone", () => {
    const tokens = parseMarkdown("https://a.example", { tables: true, linkify: false });
    expect(tokens[1]?.children?.map((child) => child.type)).toEqual(["text"]);
  });

  it("turns known shortcodes into characters, in a row too, but not inside words, numbers or code", () => {
    expect(text(":rocket::tada: :unknown_code: 10:100:7 a:rocket: `:rocket:`")).toBe("🚀🎉 :unknown_code: 10:100:7 a:rocket: :rocket:");
    expect(shortcodeCharacter("+1")).toBe("👍");
    expect(shortcodeCharacter("constructor")).toBeUndefined();
  });

  it("numbers footnotes by first reference and drops no note", () => {
    const tokens = parseMarkdown("B[^b] A[^a] B[^b] ^[inline]\n\n[^a]: one https://a.example/x\n[^b]: two\n[^c]: unused", {
      tables: true,
      linkify: true,
    });
    const notes = tokens.filter((token) => token.type === "footnote_open").map((token) => token.meta?.["number"]);
    expect(notes).toEqual([1, 2, 3, 4]);
    expect(text("B[^b] A[^a]\n\n[^a]: one\n[^b]: two")).toBe("B[1] A[2]twoone");
    expect(text("no definition[^x]")).toBe("no definition[^x]");
  });

  it("keeps text that is nested absurdly deep", () => {
    expect(text(`${">".repeat(300)} deep`)).toContain("deep");
    expect(text(`${"- ".repeat(300)}deep`)).toContain("deep");
  });

  it("leaves a table as text when tables are off", () => {
    expect(types("| a |\n|---|\n| 1 |", false)).not.toContain("table_open");
  });
});
