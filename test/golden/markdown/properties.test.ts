import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageEntity, RenderedPart } from "@trunkline/plugin-sdk";
import { markdownToIR } from "../../../packages/core/src/markdown/ir.ts";
import { plainProfile } from "../../../packages/core/src/markdown/plain.ts";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { convertMarkdownTables } from "../../../packages/core/src/markdown/table/convert.ts";
import { telegramProfile } from "../../../packages/channel-telegram/src/render.ts";
import { webProfile } from "../../../packages/channel-web/src/render.ts";

const SEED = Number(process.env["FC_SEED"] ?? 20261130);
const RUNS = { seed: SEED, numRuns: 100 };
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

const word = fc.constantFrom("alpha", "beta,", "Gamma.", "名前", "重要。", "été", "👨‍👩‍👧", "🇩🇪", "👍🏽", "שלום", "a_b_c", "1.5", "x");
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
const inline: fc.Arbitrary<string> = fc.oneof(
  words,
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `~~${text}~~`),
  words.map((text) => `||${text}||`),
  words.map((text) => `\`${text}\``),
  words.map((text) => `**a *${text}* b**`),
  words.map((text) => `[${text}](https://example.com/${text.length}?a=1&b=2)`),
  fc.constantFrom(
    "https://example.com/a_b",
    "[x](javascript:alert(1))",
    "[m](mailto:a@example.com)",
    "README.md",
    "$x^2$",
    "![pic](https://e.example/p.png)",
    "[https://bank.example](https://evil.example)",
    "<b>&amp;",
    "\\*",
    ":rocket:",
  ),
);
const line = fc.array(inline, { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));
const block: fc.Arbitrary<string> = fc.oneof(
  line,
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([level, text]) => `${"#".repeat(level)} ${text}`),
  fc.array(line, { minLength: 1, maxLength: 6 }).map((items) => items.map((item) => `- ${item}`).join("\n")),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((items) => items.map((item, i) => `${i + 7}. ${item}\n   - [x] sub ${i}\n   - ${item}`).join("\n")),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.map((text) => `> ${text}`).join("\n")),
  line.map((text) => `> quote\n>\n> > inner ${text}\n> > more\n>\n> - ${text}`),
  fc
    .array(words, { minLength: 1, maxLength: 8 })
    .map((lines) => `\`\`\`ts\n${lines.map((text, i) => " ".repeat(i % 3) + text).join("\n")}\n\`\`\``),
  fc
    .array(fc.tuple(words, words), { minLength: 1, maxLength: 5 })
    .map((rows) => `| A | B |\n|---|--:|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join("\n")}`),
  fc.constantFrom("***", "- a\n-\n- b", "- item\n  > quoted", "$$\nx\n$$", "A[^1]\n\n[^1]: note", "a  \nb", "- ```\n  code\n  ```"),
);
const documents = fc.array(block, { minLength: 1, maxLength: 10 }).map((blocks) => blocks.join("\n\n"));
const limits = fc.oneof(fc.integer({ min: 24, max: 400 }), fc.constant(4096));

/** Text without white space, invisible characters and quote prefixes, which may be repeated after a cut. */
function essence(text: string): string {
  return text.replace(/[\s>\p{Cf}]/gu, "");
}

function joined(parts: readonly RenderedPart[]): string {
  return essence(parts.map((part) => part.text).join(""));
}

function isCode(entity: MessageEntity): boolean {
  return entity.type === "code" || entity.type === "pre";
}

/** The rules by which the Bot API takes or repairs entities. */
function expectAcceptable(part: RenderedPart): void {
  const entities = part.entities ?? [];
  expect(entities.length).toBeLessThanOrEqual(100);
  expect(part.text.isWellFormed()).toBe(true);
  expect(part.text).toBe(part.text.trimEnd());
  for (const [index, a] of entities.entries()) {
    const end = a.offset + a.length;
    expect(a.length).toBeGreaterThan(0);
    expect(end).toBeLessThanOrEqual(part.text.length);
    expect(part.text.slice(0, a.offset).isWellFormed() && part.text.slice(0, end).isWellFormed()).toBe(true);
    if (a.type === "text_link") expect(a.url).toMatch(/^https?:\/\//);
    for (const b of entities.slice(index + 1)) {
      const bEnd = b.offset + b.length;
      if (b.offset >= end) continue;
      expect(bEnd, "entities nest").toBeLessThanOrEqual(end);
      expect(isCode(a), "nothing inside code").toBe(false);
      expect(b.type, "no quote inside anything").not.toBe("blockquote");
      if (a.type === "text_link") expect(isCode(b) || b.type === "text_link").toBe(false);
    }
  }
}

describe(`Markdown properties (seed ${SEED})`, () => {
  it("every Telegram part fits after rendering, is never empty and has entities that the Bot API accepts", () => {
    fc.assert(
      fc.property(documents, limits, (markdown, limit) => {
        for (const part of renderParts(markdown, telegramProfile, { limit })) {
          expect(part.length).toBe(part.text.length);
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.text.trim()).not.toBe("");
          expectAcceptable(part);
        }
      }),
      RUNS,
    );
  });

  it("cutting loses nothing visible and invents nothing", () => {
    fc.assert(
      fc.property(documents, limits, (markdown, limit) => {
        const whole = renderParts(markdown, { ...telegramProfile, maxSpans: 1_000_000 }, { limit: null });
        expect(joined(renderParts(markdown, telegramProfile, { limit }))).toBe(joined(whole));
      }),
      RUNS,
    );
  });

  it("a caption limit binds the first part and no other", () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 24, max: 200 }), (markdown, firstLimit) => {
        const [first, ...rest] = renderParts(markdown, telegramProfile, { firstLimit, limit: 400 });
        expect(first?.length ?? 0).toBeLessThanOrEqual(firstLimit);
        for (const part of rest) expect(part.length).toBeLessThanOrEqual(400);
      }),
      RUNS,
    );
  });

  it("no grapheme is cut, with and without spaces to break at", () => {
    const clusters = fc.array(fc.constantFrom("👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301", "한", "x", "नि", "🏴‍☠️", " "), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(clusters, fc.integer({ min: 12, max: 60 }), (list, limit) => {
        const text = list.join("");
        const parts = renderParts(text, telegramProfile, { limit });
        const segments = (source: string): string[] =>
          [...segmenter.segment(source)].map(({ segment }) => segment).filter((s) => s !== " ");
        expect(parts.flatMap((part) => segments(part.text))).toEqual(segments(text));
      }),
      RUNS,
    );
  });

  it("a long fence becomes several, each whole, with its language and every line", () => {
    const codeLine = fc.tuple(fc.integer({ min: 0, max: 4 }), words).map(([indent, text]) => " ".repeat(indent) + text);
    fc.assert(
      fc.property(fc.array(codeLine, { minLength: 20, maxLength: 60 }), fc.integer({ min: 150, max: 400 }), (lines, limit) => {
        const parts = renderParts(`\`\`\`ts\n${lines.join("\n")}\n\`\`\``, telegramProfile, {
          limit,
        });
        for (const part of parts) expect(part.entities).toEqual([{ type: "pre", offset: 0, length: part.text.length, language: "ts" }]);
        expect(parts.map((part) => part.text).join("\n")).toBe(lines.join("\n"));
      }),
      RUNS,
    );
  });

  it("a link that fits is never cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), (lead) => {
        const markdown = `${"x".repeat(lead)} [a label of several words](https://example.com/x) and more text after it`;
        const parts = renderParts(markdown, telegramProfile, { limit: 60 });
        const links = parts.flatMap((part) =>
          (part.entities ?? []).map((entity) => part.text.slice(entity.offset, entity.offset + entity.length)),
        );
        expect(links).toEqual(["a label of several words"]);
      }),
      RUNS,
    );
  });

  it("any text at all renders everywhere, in every table mode, without an exception or an empty part", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({
        unit: fc.constantFrom(..."*_~`|[]()<>!#-+.\\$^:&;>\n\t 1axé\u202e\u0301"),
        maxLength: 400,
      }),
      documents,
    );
    fc.assert(
      fc.property(
        anything,
        fc.constantFrom("off" as const, "bullets" as const, "code" as const, "native" as const),
        (markdown, tableMode) => {
          for (const profile of [telegramProfile, webProfile, plainProfile]) {
            for (const part of renderParts(markdown, profile, { tableMode })) expect(part.text.trim()).not.toBe("");
          }
          convertMarkdownTables(markdown, tableMode);
        },
      ),
      { seed: SEED, numRuns: 250 },
    );
  });

  it("spans of the IR nest and stay inside the text", () => {
    fc.assert(
      fc.property(documents, (markdown) => {
        const ir = markdownToIR(markdown, { tableMode: "native" });
        const spans = [...ir.styles, ...ir.links];
        for (const a of spans) {
          expect(a.start >= 0 && a.end > a.start && a.end <= ir.text.length).toBe(true);
          for (const b of spans) expect(a.start < b.start && b.start < a.end && a.end < b.end, "spans cross").toBe(false);
        }
      }),
      RUNS,
    );
  });

  it("Markdown without a table is returned byte for byte by the table conversion", () => {
    const tableless = fc
      .array(
        fc.oneof(
          line,
          line.map((text) => `> ${text}`),
          words.map((text) => `\`\`\`\n${text}\n\`\`\``),
        ),
        { maxLength: 6 },
      )
      .map((blocks) => blocks.join("\n\n"));
    fc.assert(
      fc.property(tableless, (markdown) => {
        expect(convertMarkdownTables(markdown, "code")).toBe(markdown);
        expect(convertMarkdownTables(markdown, "bullets")).toBe(markdown);
      }),
      RUNS,
    );
  });

  it("web HTML has known tags and attributes only, all balanced, and no link out of its schemes", () => {
    const anything = fc.oneof(documents, fc.string({ unit: fc.constantFrom(..."<>\"'&=/ ()[]!*`|ja:vscript\n"), maxLength: 300 }));
    fc.assert(
      fc.property(anything, (markdown) => {
        for (const part of renderParts(markdown, webProfile)) expectSafe(part.text);
      }),
      RUNS,
    );
  });
});

const TAG =
  /<(?:\/(?<close>[a-z0-9]+)|(?<open>blockquote|ul|ol|li|p|h[1-6]|pre|code|table|thead|tbody|tr|th|td|strong|em|s|span|sup|a)(?: (?:dir="auto"|start="\d+"|class="[\w+#. -]+"|align="(?:left|center|right)"|href="(?:https?:\/\/|mailto:)[^"<>]*"|target="_blank"|rel="noopener nofollow noreferrer"))*|hr|br|input type="checkbox" disabled(?: checked)?)>/g;

function expectSafe(html: string): void {
  const stack: string[] = [];
  for (const { groups } of html.matchAll(TAG)) {
    if (groups?.["open"] !== undefined) stack.push(groups["open"]);
    else if (groups?.["close"] !== undefined) expect(stack.pop()).toBe(groups["close"]);
  }
  expect(stack).toEqual([]);
  expect(html.replace(TAG, ""), "nothing else looks like a tag").not.toMatch(/[<>]/);
}
