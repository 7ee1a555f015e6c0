import type { CodeMarks, MarkdownStyle, MarkerBorder, RenderProfile, RenderStyleMarker } from "@trunkline/plugin-sdk";
import { escapeText } from "./escape.ts";

/** A mark that would lengthen the one it touches needs something invisible between them. */
function border({ isMarker, marker, outside, side }: MarkerBorder): string {
  const facing = side === "before" ? marker.slice(0, 1) : marker.slice(-1);
  return isMarker && facing === outside ? "\u200b" : "";
}

/** The shortest run of backticks that does not end inside the code. Discord knows one and two. */
function inlineCode(code: string): { readonly open: string; readonly close: string } {
  const runs = new Set(Array.from(code.matchAll(/`+/g), ([run]) => run.length));
  const mark = runs.has(1) ? "``" : "`";
  // One space next to a backtick belongs to the mark and is not shown.
  const open = code.startsWith("`") ? `${mark} ` : mark;
  return { open, close: code.endsWith("`") ? ` ${mark}` : mark };
}

/** What ends a style, also when it stands in code or in an address. */
const ENDS: Partial<Record<MarkdownStyle, string>> = { bold: "**", italic: "*", strikethrough: "~~", spoiler: "||" };

/** A bare address goes on up to a space. What is glued to it is kept out by brackets, which are not shown. */
function markLink(href: string, label: string, ahead: string): RenderStyleMarker | null {
  if (label !== href) return { open: "[", close: `](${href})` };
  return /^(?:[.,:;"'!?)\]}*]*(?:\s|$)|<)/.test(ahead) ? null : { open: "<", close: ">" };
}

const code: CodeMarks = {
  inline: inlineCode,
  // What stands on the line of the fence is a language only when it is one word of letters and a few signs.
  block: (_, language) => ({ open: `\`\`\`${/^[\w+#.-]+$/.test(language ?? "") ? language : ""}\n`, close: "\n```" }),
};

/** No fence is longer than three backticks, so such a run in code is broken by something invisible. So are two that would end inline code. */
function escapeCode(text: string, style: "code" | "code_block"): string {
  if (style === "code_block") return text.replaceAll("```", "``\u200b`");
  return /(?<!`)`(?!`)/.test(text) ? text.replace(/``/g, "`\u200b`") : text;
}

/**
 * How Discord shows a text: its own Markdown, at most 2000 characters a message, with headings of three levels, no tables and no rules. Who is
 * pinged is decided by `allowed_mentions` on every send; the text itself is neutralised all the same.
 * Source: discord.com/developers/docs/reference#message-formatting, resources/message#create-message.
 */
export const discordProfile: RenderProfile = {
  output: "markers",
  limit: 2000,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: {
    bold: { open: "**", close: "**" },
    italic: { open: "*", close: "*" },
    strikethrough: { open: "~~", close: "~~" },
    spoiler: { open: "||", close: "||" },
  },
  marking: { perLine: [], border, clashes: (style, content) => content.includes(ENDS[style] ?? "\n") },
  code,
  blocks: {
    headings: [
      { prefix: "# ", bold: true },
      { prefix: "## ", bold: true },
      { prefix: "### ", bold: true },
      { prefix: "", style: "bold" },
      { prefix: "", style: "bold" },
      { prefix: "", style: "bold" },
    ],
    bullets: ["- "],
    indent: "marker",
    tasks: { open: "☐ ", done: "☑ ", keepBullet: true },
    trimEmptyItem: false,
    quotePrefix: "> ",
    quotes: "prefix",
    prefixCode: true,
    hr: "──────────",
  },
  link: {
    form: "mask",
    schemes: ["http", "https"],
    canMask,
    mark: markLink,
  },
  escape: {
    text: (text, place) => (place.within === "text" ? escapeText(text, place) : text),
    code: escapeCode,
    link: (href) =>
      href.replace(/[()\s<>\\*|~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`),
  },
};

/** Backslashes are shown in labels, a label with an address in it is none, and a lone bracket ends it: such links are printed. */
function canMask(label: string): boolean {
  if (/https?:\/\/|\n/i.test(label)) return false;
  let depth = 0;
  for (const character of label) {
    if (character === "[") depth += 1;
    else if (character === "]" && (depth -= 1) < 0) return false;
  }
  return depth === 0 && escapeText(label, { within: "label", lineStart: false, before: "[", after: "]", ahead: "" }) === label;
}
