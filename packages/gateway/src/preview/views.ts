import type { RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { discordHtml } from "./discord.ts";
import { entitiesHtml } from "./entities.ts";
import { linkedText } from "./escape.ts";
import { slackBlocksHtml } from "./slack-blocks.ts";
import { slackTextHtml } from "./slack-text.ts";
import { whatsappHtml } from "./whatsapp.ts";

/** Platforms that read markup in a text. A viewer of their own follows their rules, so that what they would not take stays visible. */
const TEXT_VIEWS: Readonly<Record<string, (text: string) => string>> = {
  discord: discordHtml,
  slack: slackTextHtml,
  whatsapp: whatsappHtml,
};

/** A part as its platform draws it, from exactly what would be sent. */
export interface PartView {
  readonly html: string;
  /** The text that stands in for the blocks, drawn likewise. */
  readonly fallback?: string;
}

/** The web chat's fragment, with what its own page adds: code that a keyboard can scroll, boxes with a name. Text in it has no `<`. */
function reachable(html: string): string {
  return html
    .replaceAll("<pre ", '<pre tabindex="0" ')
    .replaceAll("<table", '<table tabindex="0"')
    .replaceAll('<input type="checkbox"', '<input aria-label="task" type="checkbox"');
}

/** Draws one part of a channel. A channel without a viewer gets its text as it is. */
export function viewOf(channel: string, part: RenderedPart, output: RenderProfile["output"]): PartView {
  if (output === "html") return { html: reachable(part.text) };
  if (output === "spans") return { html: entitiesHtml(part.text, part.entities ?? []) };
  const drawText = TEXT_VIEWS[channel] ?? ((text: string) => `<div class="raw">${linkedText(text)}</div>`);
  if (part.blocks === undefined) return { html: drawText(part.text) };
  return { html: slackBlocksHtml(part.blocks), fallback: drawText(part.text) };
}
