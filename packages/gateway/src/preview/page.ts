import { createHash } from "node:crypto";
import type { RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { escapeHtml } from "./escape.ts";
import { LOOK } from "./look.ts";
import { viewOf } from "./views.ts";

/** One channel's share of the page. */
export interface ChannelPreview {
  readonly id: string;
  readonly label: string;
  readonly profile: RenderProfile;
  /** As they would be sent, with the lengths that were measured then. */
  readonly parts: readonly RenderedPart[];
}

/** What a file has to begin with to be a preview that may be replaced. */
export const PREVIEW_MARK = "<!doctype html><!-- trunkline preview -->";

/** Several hundred messages say no more than a hundred, and a browser has to draw them. */
const MOST_PARTS = 100;

/**
 * One page with how a text looks on each channel. It stands alone: one style, no script, nothing loaded, and a policy that forbids all
 * else, because the text may come from anybody.
 */
export function previewPage(title: string, channels: readonly ChannelPreview[]): string {
  const hash = createHash("sha256").update(LOOK).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const theme = (id: string, label: string, checked = ""): string =>
    `<label><input type="radio" name="theme" id="${id}"${checked}> ${label}</label>`;
  return `${PREVIEW_MARK}
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} on every channel</title><style>${LOOK}</style></head>
<body><header><h1>${escapeHtml(title)}</h1><fieldset aria-label="Colours">
${theme("system", "system", " checked")}${theme("light", "light")}${theme("dark", "dark")}
</fieldset></header><main>
${channels.map(channelHtml).join("\n")}
</main></body></html>
`;
}

function channelHtml({ id, label, profile, parts }: ChannelPreview): string {
  const name = escapeHtml(label);
  const limit = profile.limit === null ? "no limit" : `at most ${count(profile.limit)} each`;
  const messages = parts.length === 1 ? "1 message" : `${count(parts.length)} messages`;
  const shown = parts.slice(0, MOST_PARTS).map((part, index) => partHtml(id, profile, part, index, parts.length));
  const more = parts.length > MOST_PARTS ? `<p class="nothing">${count(parts.length - MOST_PARTS)} more messages are not shown.</p>` : "";
  const chat = parts.length === 0 ? '<p class="nothing">Nothing would be sent.</p>' : shown.join("") + more;
  return `<section class="${escapeHtml(id)}" aria-label="${name}"><div class="about"><h2>${name}</h2><p>${messages}, ${limit}</p></div><div class="chat">${chat}</div></section>`;
}

function partHtml(channel: string, profile: RenderProfile, part: RenderedPart, index: number, total: number): string {
  const view = viewOf(channel, part, profile.output);
  const border = index === 0 ? "" : `<div class="cut">cut, message ${index + 1} of ${total}</div>`;
  const fallback =
    view.fallback === undefined ? "" : `<details><summary>Text for notifications</summary><div>${view.fallback}</div></details>`;
  const meter =
    profile.limit === null ? "" : `<meter aria-label="filled" min="0" max="${profile.limit}" value="${part.length}">${part.length}</meter>`;
  const length = `${count(part.length)}${profile.limit === null ? "" : ` of ${count(profile.limit)}`}`;
  return `${border}<div class="bubble" dir="auto">${view.html}${fallback}</div><p class="length">${meter}${length}</p>`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
