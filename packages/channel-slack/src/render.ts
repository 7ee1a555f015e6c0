import type { RenderProfile } from "@trunkline/plugin-sdk";
import { buildBlocks } from "./blocks/build.ts";
import { BLOCK_LIMITS } from "./blocks/shapes.ts";
import { escapeCode, escapeTarget, escapeText, slackCode, slackMarking } from "./marks.ts";
import { mentionToken } from "./mentions.ts";

/**
 * How Slack shows a text: blocks, which are exact (rich text, tables, dividers), and beside them the same as mrkdwn, which notifications show
 * and which is sent alone when the blocks are refused. So the text keeps its own limit of 4000 characters, longer ones being cut by the
 * platform. Nothing in a text can ping: its signs are escaped, and only permitted mentions become tokens.
 * Source: docs.slack.dev/reference/methods/chat.postMessage, docs.slack.dev/messaging/formatting-message-text.
 */
export const slackProfile: RenderProfile = {
  output: "blocks",
  buildBlocks,
  limit: 4000,
  measure: (text) => text.length,
  tableMode: "native",
  tableColumns: BLOCK_LIMITS.tableColumns,
  styleMarkers: {
    bold: { open: "*", close: "*" },
    italic: { open: "_", close: "_" },
    strikethrough: { open: "~", close: "~" },
    spoiler: { open: "[spoiler: ", close: "]" },
  },
  marking: slackMarking,
  code: slackCode,
  blocks: {
    headings: Array.from({ length: 6 }, () => ({ prefix: "", style: "bold" as const })),
    bullets: ["• ", "◦ ", "▪ "],
    indent: 4,
    tasks: { open: "☐ ", done: "☑ ", keepBullet: false },
    trimEmptyItem: false,
    quotePrefix: "> ",
    quotes: "prefix",
    prefixCode: false,
    hr: "──────────",
  },
  link: {
    form: "mask",
    schemes: ["http", "https", "mailto"],
    mark: (href, label) => (label === href || escapeTarget(label) === href ? { open: "<", close: ">" } : { open: `<${href}|`, close: ">" }),
    mention: mentionToken,
  },
  escape: { text: escapeText, code: escapeCode, link: escapeTarget },
};
