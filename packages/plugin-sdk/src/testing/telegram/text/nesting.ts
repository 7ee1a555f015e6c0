import type { WireEntity } from "../wire.ts";
import { endOf, isCode, isQuote, isSplittable, sortEntities } from "./entity-kinds.ts";

/**
 * Makes a list of entities properly nested, the way the server repairs it instead of refusing it: links, mentions and
 * code never overlap each other (the first one wins), quotes never nest, and styles are cut where they cross an edge and
 * dropped inside code. Source: td MessageEntity.cpp, `fix_entities`.
 */
export function nestEntities(entities: readonly WireEntity[]): WireEntity[] {
  const sorted = sortEntities(entities.filter((entity) => entity.length > 0));
  if (isNested(sorted)) return sorted;
  const quotes = dropOverlapping(sorted.filter((entity) => isQuote(entity.type)));
  const solid = dropOverlapping(sorted.filter((entity) => !isQuote(entity.type) && !isSplittable(entity.type)));
  const frame = sortEntities([...quotes, ...solid.filter((entity) => !crossesQuote(entity, quotes))]);
  return sortEntities([
    ...frame,
    ...cutStyles(
      sorted.filter((entity) => isSplittable(entity.type)),
      frame,
    ),
  ]);
}

function isNested(sorted: readonly WireEntity[]): boolean {
  const open: WireEntity[] = [];
  const styleEnds = new Map<string, number>();
  for (const entity of sorted) {
    while (open.length > 0 && endOf(open[open.length - 1] as WireEntity) <= entity.offset) open.pop();
    const parent = open[open.length - 1];
    if (parent !== undefined && !fitsInside(entity, parent, open)) return false;
    if (isSplittable(entity.type)) {
      // Equal styles that touch are one style for the server.
      if ((styleEnds.get(entity.type) ?? -1) >= entity.offset) return false;
      styleEnds.set(entity.type, endOf(entity));
    }
    open.push(entity);
  }
  return true;
}

function fitsInside(entity: WireEntity, parent: WireEntity, open: readonly WireEntity[]): boolean {
  if (endOf(entity) > endOf(parent) || open.some((outer) => isCode(outer.type))) return false;
  if (isSplittable(entity.type)) return true;
  // Code stands in no style; a style around it is cut.
  if (isCode(entity.type) && open.some((outer) => !isQuote(outer.type))) return false;
  const onlyStylesAround = open.every((outer) => isSplittable(outer.type) || isQuote(outer.type));
  if (isQuote(entity.type)) return open.every((outer) => isSplittable(outer.type));
  return onlyStylesAround;
}

function dropOverlapping(sorted: readonly WireEntity[]): WireEntity[] {
  let end = 0;
  return sorted.filter((entity) => {
    if (entity.offset < end) return false;
    end = endOf(entity);
    return true;
  });
}

function crossesQuote(entity: WireEntity, quotes: readonly WireEntity[]): boolean {
  const quote = quotes.find((candidate) => endOf(candidate) > entity.offset);
  if (quote === undefined || quote.offset >= endOf(entity)) return false;
  return endOf(quote) < endOf(entity) || entity.offset < quote.offset;
}

function cutStyles(styles: readonly WireEntity[], frame: readonly WireEntity[]): WireEntity[] {
  const merged = mergeStyles(styles);
  const cuts = new Set<number>(merged.map((style) => style.offset));
  for (const entity of frame) cuts.add(entity.offset).add(endOf(entity));
  const codes = frame.filter((entity) => isCode(entity.type));
  return merged
    .flatMap((style) => cutAt(style, cuts))
    .filter((piece) => !codes.some((code) => code.offset <= piece.offset && endOf(piece) <= endOf(code)));
}

function mergeStyles(styles: readonly WireEntity[]): WireEntity[] {
  const merged = new Map<string, { type: string; offset: number; length: number }[]>();
  for (const style of styles) {
    const ofType = merged.get(style.type) ?? [];
    merged.set(style.type, ofType);
    const last = ofType[ofType.length - 1];
    if (last !== undefined && style.offset <= endOf(last)) {
      last.length = Math.max(endOf(last), endOf(style)) - last.offset;
    } else {
      ofType.push({ type: style.type, offset: style.offset, length: style.length });
    }
  }
  return [...merged.values()].flat();
}

function cutAt(style: WireEntity, cuts: ReadonlySet<number>): WireEntity[] {
  const inside = [...cuts].filter((cut) => cut > style.offset && cut < endOf(style)).toSorted((a, b) => a - b);
  const edges = [style.offset, ...inside, endOf(style)];
  return edges.slice(1).map((end, index) => {
    const start = edges[index] as number;
    return { type: style.type, offset: start, length: end - start };
  });
}
