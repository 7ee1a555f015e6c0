import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";

const same = (text: string): string => text;

/** How Slack shows a text by mrkdwn, in messages of 4000 characters. */
export const slackProfile: RenderProfile = {
  output: "markers",
  limit: 4000,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: {},
  blocks: PLAIN_BLOCKS,
  link: { form: "print", schemes: ["http", "https"] },
  escape: { text: same, code: same, link: same },
};
