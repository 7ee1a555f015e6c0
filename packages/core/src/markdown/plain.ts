import { PLAIN_BLOCKS, type RenderProfile } from "@trunkline/plugin-sdk";
import { PLAIN_LINKS, PLAIN_MARKERS } from "./flat.ts";

const same = (text: string): string => text;

/**
 * Text without any markup, for logs, e-mail-like channels and the plain form of a part. It keeps what carries meaning: struck-out text,
 * quotes, list markers, task boxes, and the target of every link.
 */
export const plainProfile: RenderProfile = {
  output: "markers",
  limit: null,
  measure: (text) => text.length,
  tableMode: "code",
  styleMarkers: PLAIN_MARKERS,
  blocks: { ...PLAIN_BLOCKS, inlineMath: { open: "$", close: "$" } },
  link: PLAIN_LINKS,
  escape: { text: same, code: same, link: same },
};
