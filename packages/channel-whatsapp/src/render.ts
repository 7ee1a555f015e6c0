import type { CodeMarks, MarkerBorder, RenderProfile } from "@trunkline/plugin-sdk";

/** Scripts without spaces between words. A space beside a mark reads well in them. */
const CJK = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]$/u;
/** Letters, digits and what belongs to them: a mark beside one is shown as it is. */
const WORD = /^[\p{L}\p{N}\p{M}]$/u;
/** Styles that are marks of WhatsApp; a spoiler is words in brackets. */
const MARKED = new Set(["bold", "italic", "strikethrough", "code"]);

function border({ style, outside, isMarker }: MarkerBorder): string | undefined {
  if (!MARKED.has(style) || outside === "" || isMarker || !WORD.test(outside)) return "";
  return style !== "code" && CJK.test(outside) ? " " : undefined;
}

const code: CodeMarks = {
  // Three backticks may stand anywhere and hold one or two.
  inline: (text, glued) => (glued || text.includes("`") ? hugging(text) : { open: "`", close: "`" }),
  block: hugging,
};

/** The marks touch the code, for a line end inside would be shown; only a backtick needs room. */
function hugging(text: string): { readonly open: string; readonly close: string } {
  const room = text.startsWith("`") || text.endsWith("`") ? "\n" : "";
  return { open: `\`\`\`${room}`, close: `${room}\`\`\`` };
}

/**
 * How WhatsApp shows a text: bold, italic, struck out and code by marks that end with their line and must not touch a letter, lists and quotes at
 * the left edge, nothing else; links are printed. There is no escape. A message may have 65,536 characters; 4000 read well on a phone.
 * Source: the grammar of WhatsApp's clients as mautrix-whatsapp has it.
 */
export const whatsappProfile: RenderProfile = {
  output: "markers",
  limit: 4000,
  measure: (text) => text.length,
  tableMode: "bullets",
  styleMarkers: {
    bold: { open: "*", close: "*" },
    italic: { open: "_", close: "_" },
    strikethrough: { open: "~", close: "~" },
    spoiler: { open: "[spoiler: ", close: "]" },
  },
  marking: { perLine: ["bold", "italic", "strikethrough"], border },
  code,
  blocks: {
    headings: Array.from({ length: 6 }, () => ({ prefix: "", style: "bold" as const })),
    // Only an outermost list is one of WhatsApp's own.
    bullets: ["- ", "◦ ", "▪ "],
    indent: "marker",
    tasks: { open: "☐ ", done: "☑ ", keepBullet: false },
    trimEmptyItem: false,
    quotePrefix: "> ",
    quotes: "prefix",
    prefixCode: false,
    hr: "──────────",
  },
  link: { form: "print", schemes: ["http", "https"] },
  escape: {
    // A line that begins with the sign would be a quote.
    text: (text, { lineStart }) => (text.includes(">") ? text.replace(lineStart ? /^>/gm : /(?<=\n)>/g, "\u200b>") : text),
    code: (text) => text.replaceAll("```", "``\u200b`"),
    link: (href) => href,
  },
};
