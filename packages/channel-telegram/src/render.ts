import type { RenderProfile } from "@trunkline/plugin-sdk";

/**
 * Suffixes of file names that are top-level domains too: the server would turn `README.md` into a link to somebody's site, with a
 * preview. Whole names and paths only, and no part of an address.
 */
const FILE_NAMES =
  /(?<![\p{L}\p{N}_./:@\\-])[\p{L}\p{N}_][\p{L}\p{N}_./-]*\.(?:md|sh|py|rs|pl|cc|so|ps|zip|mov)(?![\p{L}\p{N}_@/\\-]|\.[\p{L}\p{N}])/giu;

/**
 * Characters that the server changes in every text [td clean_input_string_with_entities]: control characters become a space, carriage
 * returns, U+2028 to U+202E and three combining marks vanish.
 */
// eslint-disable-next-line no-control-regex
const CHANGED = /[\u0000-\u0009\u000b-\u001f\u2028-\u202e]|\u0333|\u033f|\u030a/g;
const VANISHING = /[\r\u2028-\u202e]|\u0333|\u033f|\u030a/;

const same = (text: string): string => text;

/** The same as tags in the text, for accounts with `format: html`. */
export function telegramProfileOf({ format }: { readonly format?: "entities" | "html" | undefined }): RenderProfile {
  return format === "html" ? telegramHtmlProfile : telegramProfile;
}

/**
 * How Telegram shows a text: classic messages of text and entities, never parse_mode. Nothing to escape, nothing the server can fail to
 * parse. 4096 and 1024 count UTF-16 units, which never count less than the server does; at most 100 entities are honoured.
 */
export const telegramProfile: RenderProfile = {
  output: "spans",
  limit: 4096,
  captionLimit: 1024,
  maxSpans: 100,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: {},
  blocks: {
    headings: Array.from({ length: 6 }, () => ({ prefix: "", style: "bold" as const })),
    bullets: ["• ", "◦ ", "▪ "],
    indent: "marker",
    tasks: { open: "☐ ", done: "☑ ", keepBullet: false },
    trimEmptyItem: false,
    quotePrefix: "> ",
    quotes: "native",
    prefixCode: false,
    hr: "──────────",
  },
  // mailto: and tel: are unknown to the server's link check; tg: could ping people.
  link: { form: "mask", schemes: ["http", "https"] },
  escape: { text: same, code: same, link: same },
  clean: {
    pattern: CHANGED,
    // The server would make a tab one space, which takes the shape from indented code.
    replace: (match, inCode) => (match === "\t" && inCode ? "    " : VANISHING.test(match) ? "" : " "),
  },
  codeNames: FILE_NAMES,
};

const telegramHtmlProfile: RenderProfile = { ...telegramProfile, spansAs: "html" };
