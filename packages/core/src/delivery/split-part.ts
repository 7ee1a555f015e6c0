import type { MessageEntity, OutboundPart, RenderedPart } from "@trunkline/plugin-sdk";
import { derivedKey } from "./part-key.ts";

/** Shorter texts are not cut again: a platform that finds this too long would find everything too long. UTF-16 units. */
const SHORTEST_CUT = 200;

/** Where a cut is looked for, as shares of the text around its middle. */
const FROM = 0.3;
const TO = 0.7;

/** Separators in the order in which they are preferred. */
const SEPARATORS = ["\n\n", "\n", ". ", " "] as const;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The two parts that take the place of one that the platform found too long: a file and its words, or the halves of a text. Their ids sort
 * behind the part's own and before what follows it, and their keys are derived from its key, so that content never changes under a key.
 * Undefined when there is nothing left to cut. Pure.
 */
export function splitPart(part: OutboundPart): readonly [OutboundPart, OutboundPart] | undefined {
  const bodies = halvesOf(part);
  if (bodies === undefined) return undefined;
  const { replaces: _message, replyToId: _quote, channelData: _data, text: _text, media: _media, ...common } = part;
  const { text: _whole, media: _files, ...first } = part;
  return [
    { ...first, ...bodies[0], id: `${part.id}.1`, key: derivedKey(part.key, 1) },
    { ...common, ...bodies[1], id: `${part.id}.2`, key: derivedKey(part.key, 2) },
  ];
}

type Body = Pick<OutboundPart, "text" | "media">;

function halvesOf({ text, media }: OutboundPart): readonly [Body, Body] | undefined {
  if (text === undefined) return undefined;
  if (media !== undefined && media.length > 0) return [{ media }, { text }];
  const halves = cutText(text);
  return halves && [{ text: halves[0] }, { text: halves[1] }];
}

/** Text with entities is cut with them; markup inside the text cannot be cut, so that such a text goes on plain. */
function cutText(text: RenderedPart): readonly [RenderedPart, RenderedPart] | undefined {
  const spans = text.text === text.plain && text.blocks === undefined;
  const whole = spans ? text.text : text.plain;
  if (whole.length < SHORTEST_CUT) return undefined;
  const { end, next } = cutOf(whole);
  const piece = (from: number, to: number): RenderedPart => {
    const own = whole.slice(from, to);
    const entities = spans ? entitiesWithin(text.entities ?? [], from, to) : [];
    return { text: own, ...(entities.length === 0 ? {} : { entities }), length: own.length, plain: own };
  };
  return [piece(0, end), piece(next, whole.length)];
}

/** Near the middle, at the best separator there is. */
function cutOf(text: string): { readonly end: number; readonly next: number } {
  const from = Math.floor(text.length * FROM);
  const to = Math.ceil(text.length * TO);
  for (const separator of SEPARATORS) {
    const at = text.lastIndexOf(separator, to - separator.length);
    if (at > from) return { end: separator === ". " ? at + 1 : at, next: at + separator.length };
  }
  // From the beginning: where flags and joined characters begin is known from there alone.
  const middle = Math.floor(text.length / 2);
  const border = graphemes.segment(text).containing(middle)?.index ?? 0;
  const end = border > 0 ? border : middle;
  return { end, next: end };
}

function entitiesWithin(entities: readonly MessageEntity[], from: number, to: number): readonly MessageEntity[] {
  return entities.flatMap((entity) => {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    return end > start ? [{ ...entity, offset: start - from, length: end - start }] : [];
  });
}
