import { buildBlocks } from "./blocks/build.ts";
import { BLOCK_LIMITS } from "./blocks/shapes.ts";
import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";

const same = (text: string): string => text;

/** How Slack shows a text by mrkdwn, in messages of 4000 characters. */
export const slackProfile: RenderProfile = {
  output: "blocks",
  buildBlocks,
  tableColumns: BLOCK_LIMITS.tableColumns,
  limit: 4000,
  measure: (text) => text.length,
  tableMode: "native",
  styleMarkers: {},
  blocks: PLAIN_BLOCKS,
  link: { form: "mask", schemes: ["http", "https", "mailto"] },
  escape: { text: same, code: same, link: same },
};
