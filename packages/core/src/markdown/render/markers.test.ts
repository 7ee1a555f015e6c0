import { describe, expect, it } from "vitest";
import type { MarkdownIR } from "@trunkline/plugin-sdk";
import { markdownToIR } from "../ir.ts";
import { renderMarkdownWithMarkers } from "./markers.ts";

const styleMarkers = {
  bold: { open: "<b>", close: "</b>" },
  italic: { open: "<i>", close: "</i>" },
  code: { open: "<c>", close: "</c>" },
};

describe("renderMarkdownWithMarkers", () => {
  it("opens the longest first and closes the last opened first", () => {
    expect(renderMarkdownWithMarkers(markdownToIR("**a *b* c** ***d***"), { styleMarkers })).toBe("<b>a <i>b</i> c</b> <i><b>d</b></i>");
  });

  it("splits a span that would cross another", () => {
    const ir: MarkdownIR = {
      text: "abcdef",
      styles: [
        { start: 0, end: 4, style: "bold" },
        { start: 2, end: 6, style: "italic" },
      ],
      links: [],
      mentions: [],
      blocks: [],
    };
    expect(renderMarkdownWithMarkers(ir, { styleMarkers })).toBe("<b>ab<i>cd</i></b><i>ef</i>");
  });

  it("closes in the order of a tree when a link ends where bold ends", () => {
    const markLink = (link: { readonly href: string }): { open: string; close: string } => ({
      open: `<a ${link.href}>`,
      close: "</a>",
    });
    expect(
      renderMarkdownWithMarkers(markdownToIR("**Read https://e.example/g**"), {
        styleMarkers,
        markLink,
      }),
    ).toBe("<b>Read <a https://e.example/g>https://e.example/g</a></b>");
  });

  it("escapes each place once, code by its own rule", () => {
    const out = renderMarkdownWithMarkers(markdownToIR("a & **b &** `c & d`"), {
      styleMarkers,
      escapeText: (text) => text.replaceAll("&", "&amp;"),
      escapeCode: (text) => text.replaceAll("&", "[and]"),
    });
    expect(out).toBe("a &amp; <b>b &amp;</b> <c>c [and] d</c>");
  });

  it("leaves a style without markers as text, and gives code blocks markers by language", () => {
    const out = renderMarkdownWithMarkers(markdownToIR("~~a~~\n\n```js\nx\n```"), {
      styleMarkers,
      code: {
        inline: () => ({ open: "", close: "" }),
        block: (_, language) => ({ open: `\`\`\`${language ?? ""}\n`, close: "\n```" }),
      },
    });
    expect(out).toBe("a\n\n```js\nx\n```");
  });
});
