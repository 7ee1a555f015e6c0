import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";

const same = (text: string): string => text;

/** How Discord shows a text: its Markdown, 2000 characters a message. Source: discord.com/developers/docs/resources/message#create-message. */
export const discordProfile: RenderProfile = {
  output: "markers",
  limit: 2000,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: {},
  blocks: PLAIN_BLOCKS,
  link: { form: "print", schemes: ["http", "https"] },
  escape: { text: same, code: same, link: same },
};
