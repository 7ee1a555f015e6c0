import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";

const same = (text: string): string => text;

/** How WhatsApp shows a text: its own few marks, in messages of 4000 characters, which read well on a phone. */
export const whatsappProfile: RenderProfile = {
  output: "markers",
  limit: 4000,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: {},
  blocks: PLAIN_BLOCKS,
  link: { form: "print", schemes: ["http", "https"] },
  escape: { text: same, code: same, link: same },
};
