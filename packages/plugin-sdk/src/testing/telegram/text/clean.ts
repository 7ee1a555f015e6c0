import { badRequest } from "../refusal.ts";
import type { FormattedText, WireEntity } from "../wire.ts";
import { endOf } from "./entity-kinds.ts";
import { byteOffset, hasLoneSurrogate, splitsPair } from "./offsets.ts";

const LINE_FEED = 0x0a;
const LAST_CONTROL = 0x1f;
// CR, and three combining marks that draw over the lines around them. Source: td misc.cpp, `clean_input_string`.
const REMOVED = new Set([0x0d, 0x333, 0x33f, 0x30a]);
// Line and paragraph separators and bidi overrides go too. Source: as above.
const FIRST_SEPARATOR = 0x2028;
const LAST_OVERRIDE = 0x202e;

/**
 * Cleans a text as the server does before it stores it, and moves the entities along.
 * @throws Refusal 400 when the text has half of a surrogate pair, or an entity begins or ends inside a pair or beyond the text.
 * Source: td MessageEntity.cpp, `clean_input_string_with_entities`.
 */
export function cleanText(text: string, entities: readonly WireEntity[]): FormattedText {
  if (hasLoneSurrogate(text)) throw badRequest("Strings must be encoded in UTF-8");
  checkEdges(text, entities);
  const kept: string[] = [];
  // moved[i] is where the unit at offset i of the original landed.
  const moved = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    moved[at] = length;
    const code = text.charCodeAt(at);
    if (REMOVED.has(code) || (code >= FIRST_SEPARATOR && code <= LAST_OVERRIDE)) continue;
    // Control characters become blanks; of them only the line feed stays.
    kept.push(code <= LAST_CONTROL && code !== LINE_FEED ? " " : text.charAt(at));
    length += 1;
  }
  moved[text.length] = length;
  const shift = (entity: WireEntity): WireEntity => {
    const offset = moved[entity.offset] as number;
    return { ...entity, offset, length: (moved[endOf(entity)] as number) - offset };
  };
  return { text: kept.join(""), entities: entities.map(shift).filter((entity) => entity.length > 0) };
}

function checkEdges(text: string, entities: readonly WireEntity[]): void {
  const broken: { at: number; begins: boolean; entity: WireEntity }[] = [];
  for (const entity of entities) {
    if (splitsPair(text, entity.offset)) broken.push({ at: entity.offset, begins: true, entity });
    if (splitsPair(text, endOf(entity))) broken.push({ at: endOf(entity), begins: false, entity });
  }
  // The server walks the text once and reports the first broken edge, ends before beginnings.
  const [first] = broken.toSorted((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
  if (first !== undefined) {
    const bytes = byteOffset(text, first.at + 1);
    throw badRequest(
      first.begins
        ? `Entity begins in a middle of a UTF-16 symbol at byte offset ${bytes}`
        : `Entity beginning at UTF-16 offset ${first.entity.offset} ends in a middle of a UTF-16 symbol at byte offset ${bytes}`,
    );
  }
  const beyond = entities.find((entity) => entity.offset > text.length);
  if (beyond !== undefined) {
    throw badRequest(`Entity begins after the end of the text at UTF-16 offset ${beyond.offset}`);
  }
  const tooLong = entities.findLast((entity) => endOf(entity) > text.length);
  if (tooLong !== undefined) {
    throw badRequest(
      `Entity beginning at UTF-16 offset ${tooLong.offset} ends after the end of the text at UTF-16 offset ${endOf(tooLong)}`,
    );
  }
}
