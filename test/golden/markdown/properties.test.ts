import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RenderedPart } from "@trunkline/plugin-sdk";
import { markdownToIR } from "../../../packages/core/src/markdown/ir.ts";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { convertMarkdownTables } from "../../../packages/core/src/markdown/table/convert.ts";
import { CHANNELS, PROFILES } from "./channels.ts";
import { anything, block, documents, limits, line, words } from "./documents.ts";
import { balanceFaults, essence, visibleOf } from "./readers.ts";
import { entityFaults } from "./telegram-rules.ts";

const SEED = Number(process.env["FC_SEED"] ?? 20261130);
const NUM_RUNS = Number(process.env["FC_RUNS"] ?? 1000);
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How parts come to be: as they do, or with a fault that a property has to notice. */
type Render = typeof renderParts;
type Parts = readonly RenderedPart[];

const channel = fc.constantFrom(...CHANNELS);
const cutting = fc.constantFrom(...CHANNELS.filter((name) => name !== "web"));

/** What must hold whatever is rendered, and faults that break it. */
interface Property<Input extends unknown[]> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  readonly holds: (render: Render, ...input: Input) => void;
  readonly faults: Readonly<Record<string, (parts: Parts) => Parts>>;
}

const property = <Input extends unknown[]>(made: Property<Input>): Property<unknown[]> => made as unknown as Property<unknown[]>;

const mapText = (parts: Parts, change: (text: string, index: number) => string): Parts =>
  parts.map((part, index) => ({ ...part, text: change(part.text, index), plain: change(part.plain, index) }));

/** Whole characters as a person sees them, without white space. */
const graphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment).filter((one) => one.trim() !== "");

const PROPERTIES: readonly Property<unknown[]>[] = [
  property({
    name: "every part fits after rendering, measured by the channel's own meter",
    inputs: fc.tuple(channel, documents, limits),
    holds(render, name: string, markdown: string, limit: number) {
      const profile = PROFILES[name]!;
      for (const part of render(markdown, profile, { limit })) {
        const measured = name === "telegram html" ? part.plain : part.text;
        expect(part.length).toBe(profile.measure(measured));
        if (name !== "web") expect(part.length).toBeLessThanOrEqual(limit);
      }
    },
    faults: {
      "a part longer than it says": (parts) => mapText(parts, (text) => `${text}.`),
      "two parts in one": (parts) =>
        parts.length < 2 ? parts : [{ ...parts[0]!, text: parts.map(({ text }) => text).join("\n"), plain: "", length: 99_999 }],
    },
  }),
  property({
    name: "cutting loses nothing visible and invents nothing",
    inputs: fc.tuple(cutting, documents, limits),
    holds(render, name: string, markdown: string, limit: number) {
      const profile = PROFILES[name]!;
      // A grid in place of a table of the platform's own is drawn anew in every part, as wide as its rows there.
      const tableMode = profile.tableMode === "native" ? "code" : profile.tableMode;
      const whole = renderParts(markdown, { ...profile, maxSpans: 1_000_000 }, { limit: null, tableMode });
      const shown = (parts: Parts): string => essence(parts.map((part) => visibleOf(name, part)).join("\n"));
      expect(shown(render(markdown, profile, { limit, tableMode }))).toBe(shown(whole));
    },
    faults: {
      "the last character of a part is lost": (parts) =>
        mapText(parts, (text, index) => (index < parts.length - 1 ? [...text].slice(0, -1).join("") : text)),
      "a part is there twice": (parts) => (parts.length < 2 ? parts : [parts[0]!, ...parts]),
      "a part is lost": (parts) => (parts.length < 2 ? parts : parts.slice(1)),
    },
  }),
  property({
    name: "every part is balanced: styles, code, links and tags end in the part in which they begin",
    inputs: fc.tuple(channel, documents, limits),
    holds(render, name: string, markdown: string, limit: number) {
      for (const part of render(markdown, PROFILES[name]!, { limit })) expect(balanceFaults(name, part)).toEqual([]);
    },
    faults: {
      "the last mark of a part is missing": (parts) => mapText(parts, (text) => text.replace(/(?:```|[*`]|<\/\w+>)(?=[^*`<]*$)/, "")),
    },
  }),
  property({
    name: "no character of several units is cut, with and without spaces to break at",
    inputs: fc.tuple(
      cutting,
      fc.array(fc.constantFrom("👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301", "한", "x", "नि", "🏴‍☠️", " "), { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 12, max: 60 }),
    ),
    holds(render, name: string, list: string[], limit: number) {
      // Four spaces in front would make it code.
      const text = list.join("").trimStart();
      expect(render(text, PROFILES[name]!, { limit }).flatMap((part) => graphemes(part.text))).toEqual(graphemes(text));
    },
    faults: {
      "a unit of a character is in the part before": (parts) =>
        mapText(parts, (text, index) => (index === 0 ? text + (parts[1]?.text[0] ?? "") : index === 1 ? text.slice(1) : text)),
    },
  }),
  property({
    name: "Telegram's entities are such as the Bot API takes, at most 100 of them",
    inputs: fc.tuple(fc.oneof(documents, anything), limits),
    holds(render, markdown: string, limit: number) {
      for (const part of render(markdown, PROFILES["telegram"]!, { limit })) expect(entityFaults(part)).toEqual([]);
    },
    faults: {
      "an entity is one unit too long": (parts) =>
        parts.map((part) => ({ ...part, entities: (part.entities ?? []).map((entity) => ({ ...entity, length: entity.length + 1 })) })),
      "an entity is one unit late": (parts) =>
        parts.map((part) => ({ ...part, entities: (part.entities ?? []).map((entity) => ({ ...entity, offset: entity.offset + 1 })) })),
      "an entity is there twice": (parts) =>
        parts.map((part) => ({ ...part, entities: (part.entities ?? []).flatMap((entity) => Array.from({ length: 101 }, () => entity)) })),
    },
  }),
  property({
    name: "the label of a link that fits is never cut",
    inputs: fc.tuple(fc.constantFrom("telegram", "telegram html", "discord"), fc.integer({ min: 0, max: 120 })),
    holds(render, name: string, lead: number) {
      const label = "a label of several words";
      const markdown = `${"x".repeat(lead)} [${label}](https://example.com/x) and more text after it`;
      const parts = render(markdown, PROFILES[name]!, { limit: 90 });
      expect(parts.filter((part) => visibleOf(name, part).includes(label))).toHaveLength(1);
    },
    faults: {
      "a cut in every label": (parts) => mapText(parts, (text) => text.replace("several", "seve\nral")),
    },
  }),
  property({
    name: "there is no empty part and none with a fence and nothing in it, whatever the text and the table mode",
    inputs: fc.tuple(channel, anything, fc.constantFrom("off" as const, "bullets" as const, "code" as const, "native" as const), limits),
    holds(render, name: string, markdown: string, tableMode: "off" | "bullets" | "code" | "native", limit: number) {
      for (const part of render(markdown, PROFILES[name]!, { tableMode, limit })) {
        expect(part.text.replaceAll("```", "").trim()).not.toBe("");
        expect(part.text.isWellFormed()).toBe(true);
      }
      convertMarkdownTables(markdown, tableMode);
    },
    faults: {
      "a fence alone": (parts) => [...parts, { text: "```\n\n```", plain: "", length: 8 }],
      "spaces alone": (parts) => [...parts, { text: " \n", plain: " \n", length: 2 }],
    },
  }),
  property({
    name: "what was sent of a growing text stays as it was: only the last part of a preview changes",
    inputs: fc.tuple(cutting, fc.array(block, { minLength: 4, maxLength: 12 }), fc.integer({ min: 300, max: 800 })),
    holds(render, name: string, blocks: string[], limit: number) {
      const profile = PROFILES[name]!;
      const whole = render(blocks.join("\n\n"), profile, { limit }).map(({ text }) => text);
      for (let count = blocks.length - 1; count > 0; count -= 3) {
        const sofar = renderParts(blocks.slice(0, count).join("\n\n"), profile, { limit }).map(({ text }) => text);
        expect(whole.slice(0, sofar.length - 1)).toEqual(sofar.slice(0, -1));
      }
    },
    faults: {
      "the first cut is elsewhere": (parts) => mapText(parts, (text, index) => (index === 0 ? text.slice(0, -1) : text)),
    },
  }),
  property({
    name: "a long fence becomes several, each whole, with its language and every line",
    inputs: fc.tuple(
      fc.array(
        fc.tuple(fc.integer({ min: 0, max: 4 }), words).map(([indent, text]) => " ".repeat(indent) + text),
        { minLength: 20, maxLength: 60 },
      ),
      fc.integer({ min: 150, max: 400 }),
    ),
    holds(render, lines: string[], limit: number) {
      const markdown = `\`\`\`ts\n${lines.join("\n")}\n\`\`\``;
      const parts = render(markdown, PROFILES["telegram"]!, { limit });
      for (const part of parts) expect(part.entities).toEqual([{ type: "pre", offset: 0, length: part.text.length, language: "ts" }]);
      expect(parts.map((part) => part.text).join("\n")).toBe(lines.join("\n"));
    },
    faults: {
      "the language is lost on the way": (parts) =>
        parts.map((part, index) => (index === 0 ? part : { ...part, entities: [{ type: "pre", offset: 0, length: part.text.length }] })),
    },
  }),
  property({
    name: "a caption limit binds the first part and no other",
    inputs: fc.tuple(cutting, documents, fc.integer({ min: 40, max: 200 })),
    holds(render, name: string, markdown: string, firstLimit: number) {
      const [first, ...rest] = render(markdown, PROFILES[name]!, { firstLimit, limit: 400 });
      expect(first?.length ?? 0).toBeLessThanOrEqual(firstLimit);
      for (const part of rest) expect(part.length).toBeLessThanOrEqual(400);
    },
    faults: {
      "the caption is as long as a message": (parts) => parts.map((part) => ({ ...part, length: part.length + 200 })),
    },
  }),
];

describe.each(PROPERTIES)(`Markdown (seed ${SEED}): $name`, ({ inputs, holds, faults }) => {
  it(`holds in ${NUM_RUNS} runs`, { timeout: 60_000 + NUM_RUNS * 60 }, () => {
    fc.assert(
      fc.property(inputs, (input) => holds(renderParts, ...input)),
      { seed: SEED, numRuns: NUM_RUNS },
    );
  });

  it.each(Object.keys(faults))("is broken by %s", (name) => {
    const faulty: Render = (...args) => [...faults[name]!(renderParts(...args))];
    const found = fc.check(
      fc.property(inputs, (input) => holds(faulty, ...input)),
      { seed: SEED, numRuns: 1000, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});

describe(`Markdown (seed ${SEED})`, () => {
  const runs = { seed: SEED, numRuns: NUM_RUNS };

  it("spans of the IR nest and stay inside the text", () => {
    fc.assert(
      fc.property(documents, (markdown) => {
        const ir = markdownToIR(markdown, { tableMode: "native" });
        const spans = [...ir.styles, ...ir.links];
        const outside = spans.filter((a) => a.start < 0 || a.end <= a.start || a.end > ir.text.length);
        const crossing = spans.filter((a) => spans.some((b) => a.start < b.start && b.start < a.end && a.end < b.end));
        expect([...outside, ...crossing]).toEqual([]);
      }),
      runs,
    );
  });

  it("without a table is returned byte for byte by the table conversion", () => {
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
      runs,
    );
  });
});
