import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MessageEntity, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { plainProfile } from "../../../packages/core/src/markdown/plain.ts";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { discordProfile } from "../../../packages/channel-discord/src/render.ts";
import { telegramProfile, telegramProfileOf } from "../../../packages/channel-telegram/src/render.ts";
import { whatsappProfile } from "../../../packages/channel-whatsapp/src/render.ts";

interface GoldenCase {
  readonly name: string;
  readonly markdown: string;
  readonly telegram: { readonly text: string; readonly entities: readonly MessageEntity[] };
  readonly telegramHtml: string;
  readonly discord: string;
  readonly whatsapp: string;
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

describe("golden Markdown as Telegram's HTML", () => {
  it.each(cases)("$name", ({ markdown, telegram, telegramHtml }) => {
    const part = onePart(markdown, telegramProfileOf({ format: "html" }));
    expect(part?.text).toBe(telegramHtml);
    expect(part?.plain).toBe(telegram.text);
  });
});

describe.each([
  { target: "discord", profile: discordProfile },
  { target: "whatsapp", profile: whatsappProfile },
  { target: "plain", profile: plainProfile },
] as const)("golden Markdown on $target", ({ target, profile }) => {
  it.each(cases)("$name", (golden) => {
    expect(onePart(golden.markdown, profile)?.text).toBe(golden[target]);
  });
});
