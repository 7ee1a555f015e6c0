import type { OutboundPart } from "@trunkline/plugin-sdk";
import type { WireButton } from "./wire.ts";

/** A button of a message: pressing it says `value`, or opens `url`. */
export interface Button {
  readonly text: string;
  readonly value?: string;
  readonly url?: string;
}

const MAX_BUTTONS = 24;
const TEXT_LIMIT = 80;
const VALUE_LIMIT = 4096;

/**
 * The buttons of a part, in rows: `channelData.buttons` is a list of rows, or of buttons for one row; a button is
 * `{ text, value }` or `{ text, url }`. What is none of that is left out. Pure.
 */
export function buttonsOf(part: Pick<OutboundPart, "channelData">): readonly (readonly Button[])[] {
  const given = part.channelData?.["buttons"];
  if (!Array.isArray(given)) return [];
  const rows = (given.some(Array.isArray) ? given : [given]) as readonly unknown[];
  let left = MAX_BUTTONS;
  return rows
    .map((row) => (Array.isArray(row) ? row.map(toButton).filter((button) => button !== undefined && left-- > 0) : []))
    .filter((row) => row.length > 0) as Button[][];
}

/** What the page needs to show them. The value stays here: the page names a button by its number. */
export function buttonsWire(part: Pick<OutboundPart, "channelData">): readonly (readonly WireButton[])[] {
  let n = 0;
  return buttonsOf(part).map((row) => row.map(({ text, url }) => ({ n: n++, text, ...(url === undefined ? {} : { url }) })));
}

/** The n-th button of a part, counted through all rows. */
export function buttonAt(part: Pick<OutboundPart, "channelData">, n: number): Button | undefined {
  return buttonsOf(part).flat()[n];
}

function toButton(given: unknown): Button | undefined {
  const { text, value, url } = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  const label = text.trim().slice(0, TEXT_LIMIT);
  if (typeof url === "string") return /^https?:\/\//i.test(url) && URL.canParse(url) ? { text: label, url } : undefined;
  return typeof value === "string" && value.trim() !== "" && value.length <= VALUE_LIMIT ? { text: label, value } : undefined;
}
