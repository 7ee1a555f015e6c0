import type { FormattedText, WireEntity } from "../wire.ts";
import { endOf, hasHiddenData, sortEntities } from "./entity-kinds.ts";

// Characters that the server counts as nothing: a message of these alone is empty. Source: td misc.cpp, `strip_empty_characters`.
const NOTHING = /^[\s\u00a0\u1680\u180e\u2000-\u200f\u202e\u202f\u205f\u2060\u2800\u3000\ufffc]*$/u;

/** Whether a person would see nothing of this text. */
export function isInvisible(text: string): boolean {
  return NOTHING.test(text);
}

/**
 * Trims a cleaned text and its entities as the server does: blanks at both ends of the text go, an entity never starts
 * with a blank, and an entity of blanks alone goes (unless it carries data, as a link does).
 * Source: td MessageEntity.cpp, `remove_invalid_entities` and `fix_formatted_text`.
 */
export function trimText({ text, entities }: FormattedText): FormattedText {
  const end = text.replace(/[ \n]+$/, "").length;
  const tidy = entities.flatMap((entity) => tidyEntity(text, entity, end));
  // A blank inside an entity that carries data is kept, so the text may not be cut before the first entity.
  const first = Math.min(end, ...tidy.map((entity) => entity.offset));
  const start = Math.min(first, text.length - text.replace(/^[ \n]+/, "").length);
  return {
    text: text.slice(start, end),
    entities: sortEntities(tidy.map((entity) => ({ ...entity, offset: entity.offset - start }))),
  };
}

function tidyEntity(text: string, entity: WireEntity, textEnd: number): WireEntity[] {
  let offset = entity.offset;
  const end = Math.min(endOf(entity), textEnd);
  if (!hasHiddenData(entity.type)) while (offset < end && /[ \n]/.test(text.charAt(offset))) offset += 1;
  return offset < end ? [{ ...entity, offset, length: end - offset }] : [];
}
