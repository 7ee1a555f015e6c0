import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";

const same = (text: string): string => text;

/**
 * How the browser chat shows a text: one HTML fragment of any length, with real lists, tables and code. The fragment is safe to insert:
 * only known tags, everything escaped, links to http, https and mailto alone, pictures as links because loading one would tell a stranger.
 * The block rules serve the plain form of a part.
 */
export const webProfile: RenderProfile = {
  output: "html",
  limit: null,
  measure: (text) => text.length,
  tableMode: "native",
  styleMarkers: {},
  blocks: PLAIN_BLOCKS,
  link: { form: "mask", schemes: ["http", "https", "mailto"] },
  escape: { text: same, code: same, link: same },
};
