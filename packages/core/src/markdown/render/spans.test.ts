import { describe, expect, it } from "vitest";
import type { MessageEntity, RenderProfile } from "@trunkline/plugin-sdk";
import { plainProfile } from "../plain.ts";
import { renderParts } from "../render-parts.ts";

const profile: RenderProfile = {
  ...plainProfile,
  output: "spans",
  limit: 4096,
  maxSpans: 100,
  blocks: { ...plainProfile.blocks, quotes: "native", prefixCode: false },
  link: { form: "mask", schemes: ["http", "https"] },
};

function entities(markdown: string): readonly (readonly [MessageEntity["type"], string])[] {
  const [part] = renderParts(markdown, profile);
  return (part?.entities ?? []).map((entity) => [entity.type, part?.text.slice(entity.offset, entity.offset + entity.length) ?? ""]);
}

describe("renderSpans", () => {
  it("puts no style inside code, around it on both sides", () => {
    expect(entities("**a `b` c**")).toEqual([
      ["bold", "a "],
      ["code", "b"],
      ["bold", " c"],
    ]);
  });

  it("lets a link win over the code in its label", () => {
    expect(entities("[a `b`](https://e.example)")).toEqual([["text_link", "a b"]]);
  });

  it("never shows what a spoiler hides, nor unsays what is struck out", () => {
    expect(entities("||the `butler`||")).toEqual([["spoiler", "the butler"]]);
    expect(entities("~~`rm -rf`~~ `ls`")).toEqual([
      ["strikethrough", "rm -rf"],
      ["code", "ls"],
    ]);
    expect(entities("||`a` ~~b~~ `c`||")).toEqual([
      ["spoiler", "a b c"],
      ["strikethrough", "b"],
    ]);
  });

  it("never nests quotes", () => {
    const [part] = renderParts("> a\n>\n> > b\n\n- c\n  > d", profile);
    expect(part?.text).toBe("a\n\n> b\n\n- c\n\n  > d");
    expect(part?.entities).toEqual([{ type: "blockquote", offset: 0, length: 6 }]);
  });

  it("joins equal neighbours", () => {
    expect(entities("*a*_b_ [x](https://e.example)[y](https://e.example)[z](https://f.example)")).toEqual([
      ["italic", "ab"],
      ["text_link", "xy"],
      ["text_link", "z"],
    ]);
  });

  it("keeps the indentation of code at the start and trims the end", () => {
    const [part] = renderParts("```\n  a\n\n\n```", profile);
    expect(part).toMatchObject({ text: "  a", entities: [{ type: "pre", offset: 0, length: 3 }] });
  });

  it("gives bare URLs no entity and refuses to link other schemes", () => {
    expect(entities("https://e.example <https://e.example/x> [m](mailto:a@e.example) [t](tel:+1)")).toEqual([]);
    expect(renderParts("[m](mailto:a@e.example) [t](tel:+1)", profile)[0]?.text).toBe("m (a@e.example) t (+1)");
  });

  it("counts offsets in UTF-16 units, behind what was inserted before", () => {
    const [part] = renderParts("- 🙂 **b**\n- [x] 👍🏽 *c*", profile);
    expect(part?.text).toBe("- 🙂 b\n- [x] 👍🏽 c");
    expect(part?.entities).toEqual([
      { type: "bold", offset: 5, length: 1 },
      { type: "italic", offset: 18, length: 1 },
    ]);
  });

  it("gives the plain form the same text", () => {
    const [part] = renderParts("**a** [b](https://e.example)", profile);
    expect(part?.plain).toBe("a b");
  });
});
