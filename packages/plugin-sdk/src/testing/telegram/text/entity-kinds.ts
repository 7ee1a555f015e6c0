import type { WireEntity } from "../wire.ts";

const SPLITTABLE = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);
const QUOTES = new Set(["blockquote", "expandable_blockquote"]);
const CODES = new Set(["code", "pre"]);
const HIDDEN_DATA = new Set(["text_link", "text_mention", "custom_emoji", "date_time"]);

// The order in which the server lists entities that share their edges: the outer ones first.
const PRIORITY = [
  "expandable_blockquote",
  "blockquote",
  "pre",
  "code",
  "text_link",
  "text_mention",
  "date_time",
  "custom_emoji",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
];

/** Styles that the server may cut in pieces: they nest in anything but code. Source: td MessageEntity.cpp. */
export function isSplittable(type: string): boolean {
  return SPLITTABLE.has(type);
}

/** Quotes, which never nest in each other. Source: core.telegram.org/bots/api#formatting-options. */
export function isQuote(type: string): boolean {
  return QUOTES.has(type);
}

/** Code, in which no style is kept. */
export function isCode(type: string): boolean {
  return CODES.has(type);
}

/** Entities that mean something beyond their text, so that the server keeps them on blanks too. */
export function hasHiddenData(type: string): boolean {
  return HIDDEN_DATA.has(type);
}

/** Where an entity ends, in UTF-16 units. */
export function endOf(entity: WireEntity): number {
  return entity.offset + entity.length;
}

/** Sorts entities as the server does: by start, the longer one first, then by type. Returns a new list. */
export function sortEntities(entities: readonly WireEntity[]): WireEntity[] {
  return entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length || rank(a.type) - rank(b.type));
}

function rank(type: string): number {
  const at = PRIORITY.indexOf(type);
  return at === -1 ? PRIORITY.length : at;
}
