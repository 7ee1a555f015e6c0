import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RenderedPart } from "@trunkline/plugin-sdk";
import { markdownToIR } from "../../../packages/core/src/markdown/ir.ts";
import { renderParts, type RenderOptions } from "../../../packages/core/src/markdown/render-parts.ts";
import { slackProfile } from "../../../packages/channel-slack/src/render.ts";
import { slackFaults, textOf } from "./slack-rules.ts";

interface SlackCase {
  readonly name: string;
  readonly markdown: string;
  readonly slack: string;
}

const cases = JSON.parse(readFileSync(new URL("./slack-cases.json", import.meta.url), "utf8")) as readonly SlackCase[];
const RUNS = { seed: Number(process.env["FC_SEED"] ?? 20261130), numRuns: Number(process.env["FC_RUNS"] ?? 300) };

function slack(markdown: string, options: RenderOptions = {}): readonly RenderedPart[] {
  return renderParts(markdown, slackProfile, options);
}

function blocksOf(markdown: string, options: RenderOptions = {}): readonly unknown[] {
  return slack(markdown, options).flatMap((part) => part.blocks ?? []);
}

describe("golden Markdown as Slack's text", () => {
  it.each(cases)("$name", ({ markdown, slack: text }) => {
    const [part, ...more] = slack(markdown);
    expect(more).toEqual([]);
    expect(part?.text).toBe(text);
    expect(slackFaults(part?.blocks)).toEqual([]);
  });
});

const text = (value: string, style?: object): object => ({ type: "text", text: value, ...(style === undefined ? {} : { style }) });
const section = (...elements: object[]): object => ({ type: "rich_text_section", elements });
const rich = (...elements: object[]): object => ({ type: "rich_text", elements });
const list = (style: string, over: object, ...items: object[]): object => ({
  type: "rich_text_list",
  style,
  indent: 0,
  ...over,
  elements: items,
});

function rowsOf(part: RenderedPart | undefined): readonly (readonly object[])[] {
  const table = part?.blocks?.[0] as { readonly rows: object[][] } | undefined;
  return table?.rows ?? [];
}

describe("Slack's blocks", () => {
  it.each([
    [
      "styles and links are exact, and nothing is escaped",
      "**b *bi*** ~~s~~ `<c>` [l](https://e.example/?a&b) <!channel> \\*x*",
      [
        rich(
          section(
            text("b ", { bold: true }),
            text("bi", { bold: true, italic: true }),
            text(" "),
            text("s", { strike: true }),
            text(" "),
            text("<c>", { code: true }),
            text(" "),
            { type: "link", url: "https://e.example/?a&b", text: "l" },
            text(" <!channel> *x*"),
          ),
        ),
      ],
    ],
    [
      "a heading is bold, paragraphs stay apart",
      "## A **b** *c*\n\nd\ne",
      [rich(section(text("A b ", { bold: true }), text("c", { bold: true, italic: true }), text("\n\nd\ne")))],
    ],
    [
      "lists are lists, with depth and number",
      "- a\n\n  3. b\n  4. c\n- d",
      [
        rich(
          list("bullet", {}, section(text("a"))),
          list("ordered", { indent: 1, offset: 2 }, section(text("b")), section(text("c"))),
          list("bullet", {}, section(text("d"))),
        ),
      ],
    ],
    [
      "a list goes on behind code in it",
      "1. a\n   ```js\n   x\n   ```\n2. b",
      [
        rich(
          list("ordered", {}, section(text("a"))),
          { type: "rich_text_preformatted", elements: [text("x")], language: "js" },
          list("ordered", { offset: 1 }, section(text("b"))),
        ),
      ],
    ],
    [
      "task boxes stand in place of bullets",
      "- [ ] a\n- [x] b\n\n1. [x] c",
      [rich(section(text("☐ a\n☑ b")), list("ordered", {}, section(text("☑ c"))))],
    ],
    [
      "quotes, with lists and code in them",
      "> a\n> b\n>\n> - c\n>\n> ```\n> d\n> ```",
      [
        rich({ type: "rich_text_quote", elements: [text("a\nb")] }, list("bullet", { border: 1 }, section(text("c"))), {
          type: "rich_text_preformatted",
          elements: [text("d")],
          border: 1,
        }),
      ],
    ],
    ["a quote in a quote keeps its sign", "> a\n> > b", [rich({ type: "rich_text_quote", elements: [text("a\n\n> b")] })]],
    ["a rule divides", "a\n\n***\n\nb", [rich(section(text("a"))), { type: "divider" }, rich(section(text("b")))]],
    [
      "a spoiler says so, a bare address is a link",
      "||x **y**|| https://e.example/",
      [rich(section(text("[spoiler: x "), text("y", { bold: true }), text("] "), { type: "link", url: "https://e.example/" }))],
    ],
    ["empty items are items", "- a\n-\n- b", [rich(list("bullet", {}, section(text("a")), section(text(" ")), section(text("b"))))]],
    [
      "math is code",
      "$x^2$\n\n$$\ny\n$$",
      [rich(section(text("x^2", { code: true })), { type: "rich_text_preformatted", elements: [text("y")], language: "latex" })],
    ],
  ])("%s", (_, markdown, blocks) => {
    expect(blocksOf(markdown)).toEqual(blocks);
  });

  it("are a table where there is one: header in bold, cells with their styles, alignment kept", () => {
    const header = (value: string): object => rich(section(text(value, { bold: true })));
    expect(blocksOf("before\n\n| A | B |\n|---|--:|\n| **x** | 1 |\n| | `c` |\n\nafter")).toEqual([
      rich(section(text("before"))),
      {
        type: "table",
        rows: [
          [header("A"), header("B")],
          [header("x"), { type: "raw_text", text: "1" }],
          [{ type: "raw_text", text: " " }, rich(section(text("c", { code: true })))],
        ],
        column_settings: [
          { align: "left", is_wrapped: true },
          { align: "right", is_wrapped: true },
        ],
      },
      rich(section(text("after"))),
    ]);
  });

  it("have one table a message, and its rows beyond a hundred in the next, without a second header", () => {
    const table = "| N |\n|---|\n| 1 |";
    const two = slack(`a\n\n${table}\n\nb\n\n${table}\n\nc`);
    expect(two.map((part) => textOf(part.blocks))).toEqual(["aN1b", "N1c"]);
    const long = slack(`| N | M |\n|---|---|\n${Array.from({ length: 150 }, (_, index) => `| ${index} | x |`).join("\n")}`);
    expect(long.map((part) => rowsOf(part).length)).toEqual([100, 51]);
    expect(rowsOf(long[1])[0]?.[0]).toEqual({ type: "raw_text", text: "99" });
    expect(long[1]?.text).not.toContain("---");
    for (const part of [...two, ...long]) expect(slackFaults(part.blocks)).toEqual([]);
  });

  it("have a grid where a table has more columns than a table may have, and a list where that is too wide", () => {
    const row = (cell: string, count: number): string => `|${` ${cell} |`.repeat(count)}`;
    const wide = (cell: string): string => [row("h", 21), row("---", 21), row(cell, 21)].join("\n");
    expect(JSON.stringify(blocksOf(wide("x")))).not.toContain('"table"');
    expect(textOf(blocksOf(wide("x")))).toContain("• h: x");
    expect(slackFaults(blocksOf(wide("x")))).toEqual([]);
  });

  it("show tables as the conversation wants them", () => {
    const table = "| A | B |\n|---|---|\n| x | 1 |";
    expect(blocksOf(table, { tableMode: "code" })).toEqual([
      rich({ type: "rich_text_preformatted", elements: [text("A   | B\n----|----\nx   | 1")] }),
    ]);
    expect(blocksOf(table, { tableMode: "bullets" })).toEqual([rich(section(text("x", { bold: true }), text("\n• B: 1")))]);
    expect(textOf(blocksOf(table, { tableMode: "off" }))).toBe(table);
  });

  it("mention whom the agent may mention, and nobody else", () => {
    const markdown = "[Ann](mention:U0123ABC) [Bob](mention:U0999XYZ) [here](mention:here) <@U0123ABC> <!here>";
    const [part] = slack(markdown, { mentions: new Set(["U0123ABC", "here"]) });
    expect(part?.blocks).toEqual([rich(section({ type: "user", user_id: "U0123ABC" }, text(" Bob here <@U0123ABC> <!here>")))]);
    expect(part?.text).toBe("<@U0123ABC> Bob here &lt;@U0123ABC&gt; &lt;!here&gt;");
  });
});

describe("Slack's text where the goldens say nothing", () => {
  it.each([
    ["**a * b** c", "a * b c", "a style with its own marker inside is dropped: there is no escape"],
    ["*snake_case*", "snake_case", "so is one around a name with underscores"],
    ["[a **b** `c`](https://e.example)", "<https://e.example|a b c>", "labels are plain"],
    ["[**b**](https://e.example)", "*<https://e.example|b>*", "a style of the whole label stands around the link"],
    ["[a\nb](https://e.example)", "<https://e.example|a b>", "a label is one line"],
    ["[a|b>c](https://e.example/x%7Cy)", "<https://e.example/x%7Cy|a|b&gt;c>", "no sign of a label ends the link"],
    ['"**q**" ("*q*")', '"\u200b*q*" ("\u200b_q_\u200b")', "a guard stands wherever the grammar asks for a sign"],
    ["**a**~~b~~*c*", "*a*\u200b~b~\u200b_c_", "between two styles too"],
    ["a\n\\> b", "a\n\u200b&gt; b", "an escaped sign makes no quote on a later line"],
    ["- \\> b", "• \u200b&gt; b", "nor behind a bullet"],
    ["\\`\\`\\`x", "``\u200b`x", "three escaped backticks begin no code"],
    ["> **a\n> b**", "> *a*\n> *b*", "a style in a quote is closed on each line"],
  ])("%j is %j: %s", (markdown, expected) => {
    expect(slack(markdown).map((part) => part.text)).toEqual([expected]);
  });
});

const word = fc.constantFrom("alpha", "beta,", "名前", "重要。", "👨‍👩‍👧", "a_b_c", "x*y", "<!here>", "&amp;", "1.5", "> q", "~", "`");
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
const inline = fc.oneof(
  words,
  words.map((value) => `**${value}**`),
  words.map((value) => `*${value}*`),
  words.map((value) => `||${value}||`),
  words.map((value) => `\`\`${value}\`\``),
  words.map((value) => `[${value}](https://example.com/${value.length}?a=1&b=2)`),
);
const line = fc.array(inline, { minLength: 1, maxLength: 5 }).map((all) => all.join(" "));
const block = fc.oneof(
  line,
  line.map((value) => `## ${value}`),
  fc.array(line, { minLength: 1, maxLength: 5 }).map((all) => all.map((value) => `- ${value}`).join("\n")),
  fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((all) => all.map((value, index) => `${index + 1}. ${value}\n   - [x] ${value}\n\n   ${value}`).join("\n")),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => all.map((value) => `> ${value}\n> > - ${value}`).join("\n")),
  words.map((value) => `\`\`\`ts\n${value}\n\n${value}\n\`\`\``),
  fc
    .array(fc.tuple(inline, words), { minLength: 1, maxLength: 4 })
    .map((rows) => `| A | B |\n|---|:-:|\n${rows.map(([a, b]) => `| ${a} | ${b} |`).join("\n")}`),
  fc.constantFrom("***", "- a\n-\n- b", "- ```\n  code\n  ```", "> ***", "- | A |\n  |---|\n  | 1 |", "$$\nx\n$$", "A[^1]\n\n[^1]: note"),
);
const documents = fc.array(block, { minLength: 1, maxLength: 12 }).map((all) => all.join("\n\n"));
const anything = fc.oneof(
  documents,
  fc.string({ unit: fc.constantFrom(..."*_~`|[]()<>!#-+.\\$^:&;>\n\t 1axé\u202e\u0301"), maxLength: 400 }),
);

/** What is visible, without white space and the signs that blocks draw themselves or that stand for them in text. */
function essence(value: string): string {
  return value.replace(/\[spoiler: |[\]\s\p{Cf}>•◦▪☐☑─]/gu, "");
}

describe(`Slack's blocks, whatever the text (seed ${RUNS.seed})`, () => {
  it("keep the platform's limits, and so does the text beside them", () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 60, max: 4000 }), (markdown, limit) => {
        for (const part of slack(markdown, { limit })) {
          expect(slackFaults(part.blocks)).toEqual([]);
          expect(part.text.length).toBeLessThanOrEqual(limit);
          expect(part.text.isWellFormed()).toBe(true);
          expect(part.text.replace(/<(?:https?:\/\/|mailto:)[^<>\n]*>/g, "")).not.toMatch(/<|&(?!amp;|lt;|gt;)/);
        }
      }),
      RUNS,
    );
  });

  it("show all that the text has, in its order, cut or not", () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 600, max: 4000 }), (markdown, limit) => {
        const shown = textOf(blocksOf(markdown, { limit }));
        const source = markdownToIR(markdown, { tableMode: "native" }).text.replaceAll(" | ", "");
        expect(essence(shown)).toBe(essence(source));
      }),
      RUNS,
    );
  });
});
