import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MessageEntity, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { plainProfile } from "../../../packages/core/src/markdown/plain.ts";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { telegramProfile } from "../../../packages/channel-telegram/src/render.ts";

interface GoldenCase {
  readonly name: string;
  readonly markdown: string;
  readonly telegram: { readonly text: string; readonly entities: readonly MessageEntity[] };
  readonly plain: string;
}

const cases = JSON.parse(readFileSync(new URL("./cases.json", import.meta.url), "utf8")) as readonly GoldenCase[];

function onePart(markdown: string, profile: RenderProfile): RenderedPart | undefined {
  const parts = renderParts(markdown, profile);
  expect(parts.length).toBeLessThanOrEqual(1);
  return parts[0];
}

describe("golden Markdown on Telegram", () => {
  it.each(cases)("$name", ({ markdown, telegram }) => {
    const part = onePart(markdown, telegramProfile);
    expect({ text: part?.text, entities: part?.entities }).toEqual(telegram);
  });
});

describe("golden Markdown as plain text", () => {
  it.each(cases)("$name", ({ markdown, plain }) => {
    expect(onePart(markdown, plainProfile)?.text).toBe(plain);
  });
});
