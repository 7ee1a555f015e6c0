import type { CodeMarks, MarkerBorder, MarkingRules, TextPlace } from "@trunkline/plugin-sdk";

/** Satisfies Slack's rules where a marker touches a letter, and takes no room. [field reports] */
const GUARD = "\u200b";

/** What a marker may open behind, and close before. [slack-message-parser] */
const OPENS = /^[\s.,([{!?\-=\u200b]$/;
const CLOSES = /^[\s.,\])}!?\-=\u200b]$/;
const CLOSES_BOLD = /^[\s~!#$%^)\-+={}[\];:'",.?/\u200b]$/;

/** Styles by their marker; code and spoilers are marked otherwise. */
const STYLES = { bold: "*", italic: "_", strikethrough: "~" } as const;

function border({ side, style, outside, content }: MarkerBorder): string | undefined {
  if (style === "spoiler" || style === "code_block") return "";
  // There is no escape: the marker inside would end the style, and show both.
  if (style !== "code" && content.includes(STYLES[style])) return undefined;
  if (outside === "") return "";
  const fits = side === "before" ? OPENS : style === "bold" ? CLOSES_BOLD : CLOSES;
  return fits.test(outside) ? "" : GUARD;
}

/** Where markers may stand in mrkdwn: within a line, and with an invisible guard wherever the platform's grammar asks for a sign. */
export const slackMarking: MarkingRules = { perLine: ["bold", "italic", "strikethrough"], border, plainLabels: true };

/** Code has no language here: what stands on the line of the fence would be shown as code. */
export const slackCode: CodeMarks = {
  inline: () => ({ open: "`", close: "`" }),
  block: () => ({ open: "```\n", close: "\n```" }),
};

/** The three characters that Slack decodes, in code too. [docs.slack.dev/messaging/formatting-message-text] */
function escapeHtmlSigns(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A fence in code or text would end or begin a block. */
function breakFences(text: string): string {
  return text.includes("```") ? text.replaceAll("```", `\`\`${GUARD}\``) : text;
}

export function escapeText(text: string, { within, lineStart }: TextPlace): string {
  if (within === "url") return escapeHtmlSigns(text);
  // A link ends with its line.
  if (within === "label") return escapeHtmlSigns(text.replaceAll("\n", " "));
  // Escaped, the sign would still make a quote of its line.
  const guarded = text.includes(">") ? text.replace(lineStart ? /^>/gm : /(?<=\n)>/g, `${GUARD}>`) : text;
  return escapeHtmlSigns(breakFences(guarded));
}

/** No backtick can stand in inline code: a letter that looks like it does. */
export function escapeCode(text: string, style: "code" | "code_block"): string {
  return escapeHtmlSigns(style === "code" ? text.replaceAll("`", "\u02cb") : breakFences(text));
}

/** A target may hold none of the signs that end it. */
export function escapeTarget(href: string): string {
  if (!/[<>|&\s]/.test(href)) return href;
  return href.replace(/[<>|\s]/g, (sign) => encodeURIComponent(sign)).replaceAll("&", "&amp;");
}
