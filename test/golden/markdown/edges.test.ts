import { expect, it } from "vitest";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { slackProfile } from "../../../packages/channel-slack/src/render.ts";
import { telegramProfile } from "../../../packages/channel-telegram/src/render.ts";
import { webProfile } from "../../../packages/channel-web/src/render.ts";
import { whatsappProfile } from "../../../packages/channel-whatsapp/src/render.ts";

const HEAD = "| B |\n|---|---|\n| 1 | 2 |";

it.each([
  ["bold", `| **A** ${HEAD}`, "```\nA   | B\n----|----\n1   | 2\n```"],
  ["struck", `| ~~A~~ ${HEAD}`, "```\n~~A~~ | B\n------|----\n1     | 2\n```"],
  ["a link", `| [l](https://e.com) ${HEAD}`, "```\nl (https://e.com) | B\n------------------|----\n1                 | 2\n```"],
])("a table beside blocks is one plain grid when its first cell is %s", (_, markdown, expected) => {
  const [part] = renderParts(markdown, slackProfile);
  expect(part?.text).toBe(expected);
  expect(part?.blocks).toEqual([expect.objectContaining({ type: "table" })]);
});

it("a target that is printed in the last cell of a table stands in that cell", () => {
  const [part] = renderParts("| A | B |\n|---|---|\n| 1 | [bank.com](https://evil.com) |", slackProfile);
  expect(part?.text).toContain("| bank.com (https://evil.com)\n```");
  expect(part?.blocks).toHaveLength(1);
  expect(JSON.stringify(part?.blocks)).toContain("evil.com");
});

it.each([10_300, 11_900, 50_000])(
  "an address of %i characters, which fits into no message, takes no more messages than its text",
  (length) => {
    const parts = renderParts(`https://e.com/${"p".repeat(length)}`, slackProfile);
    expect(parts.length).toBeLessThanOrEqual(Math.ceil(length / 3500) + 1);
    expect(parts.map(({ plain }) => plain).join("")).toHaveLength(length + 14);
  },
);

it("half a character becomes one that can be encoded", () => {
  expect(renderParts("\ud83d x \ude00 😀", telegramProfile)[0]?.text).toBe("\ufffd x \ufffd 😀");
});

it("a link without a label to a place that is no address is text", () => {
  const [part] = renderParts("[](/api/logout) [](//evil.example/x) [](tel:1)", webProfile);
  expect(part?.text).not.toContain("<a ");
});

it.each([
  ["braces, pipes and quotes", "see https://e.com/a|b{c}d'e now", "see <https://e.com/a|b{c}d'e> now"],
  ["a brace around it", "{https://e.com/a}", "{<https://e.com/a>}"],
  ["spoiler marks behind it", "||see https://e.com/a||", "[spoiler: see <https://e.com/a>]"],
])("a bare address ends where it does: %s", (_, markdown, expected) => {
  expect(renderParts(markdown, slackProfile)[0]?.text).toBe(expected);
});

it("a byte order mark hides no heading", () => {
  expect(renderParts("\ufeff# Title", slackProfile)[0]?.text).toBe("*Title*");
});

it("neighbouring spoilers show none of their marks", () => {
  expect(renderParts("||a||||b||", telegramProfile)[0]).toMatchObject({
    text: "ab",
    entities: [{ type: "spoiler", offset: 0, length: 2 }],
  });
});

it("a footnote keeps its second paragraph", () => {
  expect(renderParts("a[^1]\n\n[^1]: first\n\n    second\n\nend", telegramProfile)[0]?.text).toBe("a[1]\n\nend\n\n[1] first\nsecond");
});

it("a table without anything in its cells shows its headers, and a struck first cell is struck", () => {
  expect(renderParts("| A | B |\n|---|---|\n|  |  |", whatsappProfile)[0]?.text).toBe("*A*\n• B");
  expect(renderParts("| A | B |\n|---|---|\n| ~~y~~ | z |", whatsappProfile)[0]?.text).toBe("*~y~*\n• B: z");
});
