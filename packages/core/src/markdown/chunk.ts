import type { ChunkMode, MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { BreakFinder } from "./breaks.ts";
import { hasVisibleText, renderFitted } from "./render/part.ts";
import { IRSlicer } from "./slice.ts";

/** Limits of one text; they replace those of the profile. */
export interface ChunkLimits {
  /** Most units of a part; null for no limit. */
  readonly limit?: number | null;
  /** Most units of the first part, which may be a media caption. */
  readonly firstLimit?: number;
  /** `length` unless set. */
  readonly chunkMode?: ChunkMode;
}

/** One chunk and what it renders to. */
export interface Chunk {
  readonly ir: MarkdownIR;
  readonly part: RenderedPart;
}

/** Cuts an IR so that every chunk, rendered by the profile, fits its limits. See `chunkParts`. */
export function chunkIR(ir: MarkdownIR, profile: RenderProfile, limits: ChunkLimits = {}): MarkdownIR[] {
  return chunkParts(ir, profile, limits).map((chunk) => chunk.ir);
}

/**
 * Cuts a prepared IR into chunks that fit after rendering, measured by the profile's own meter. Chunks with nothing visible are left out;
 * nothing else is lost but the white space at the cuts. Work is linear: each chunk is rendered a few times.
 */
export function chunkParts(ir: MarkdownIR, profile: RenderProfile, limits: ChunkLimits = {}): Chunk[] {
  const limit = limits.limit === undefined ? profile.limit : limits.limit;
  const first = limits.firstLimit ?? limit;
  // Rendering may make text a little shorter (trimmed ends, code points), never less than half as long.
  if (first === null || ir.text.length <= first * 2) {
    const { part: whole, fits } = renderFitted(ir, profile);
    if (fits >= ir.text.length && excess(whole, first, profile) <= 1) return hasVisibleText(whole.text) ? [{ ir, part: whole }] : [];
  }
  const chunks: Chunk[] = [];
  const slicer = new IRSlicer(ir);
  const breaks = new BreakFinder(ir, slicer, limits.chunkMode);
  let start = 0;
  let end = 0;
  // The last round is for a rule at the very end, which has no text of its own.
  while (start < ir.text.length || end < ir.text.length) {
    slicer.advance(start);
    const room = chunks.length === 0 ? first : limit;
    const next = nextChunk({ ir, profile, slicer, breaks, start, room });
    if (hasVisibleText(next.chunk.part.text)) chunks.push(next.chunk);
    start = next.next;
    end = next.end;
  }
  return chunks;
}

/** A chunk, where it ended, and where the next begins. */
interface Taken {
  readonly chunk: Chunk;
  readonly end: number;
  readonly next: number;
}

interface Cut {
  readonly ir: MarkdownIR;
  readonly profile: RenderProfile;
  readonly slicer: IRSlicer;
  readonly breaks: BreakFinder;
  readonly start: number;
  readonly room: number | null;
}

/** The longest chunk from `start` that fits, by guessing from what the last guess measured. */
function nextChunk(cut: Cut): Taken {
  const { ir, profile, slicer, breaks, start, room } = cut;
  const length = ir.text.length;
  const furthest = room === null ? length : Math.min(length, start + Math.max(1, room));
  // Saves rendering far more spans than can fit. Twice the limit, because neighbours may join and bare links have no entity.
  const crowded = slicer.crowdedAt((profile.maxSpans ?? Infinity) * 2);
  let capped = crowded > start && crowded < furthest;
  let reach = capped ? crowded : furthest;
  for (;;) {
    const { end, next } = reach === length ? { end: length, next: length } : breaks.find(start, reach);
    const slice = slicer.slice(end);
    const { part, fits } = renderFitted(slice, profile);
    const over = excess(part, room, profile);
    // Blocks have limits of their own, and they tell where to cut.
    if (fits < end - start && over <= 1 && end > breaks.firstGrapheme(start)) {
      capped = false;
      reach = start + Math.max(1, fits);
      continue;
    }
    if (over <= 0.5 && capped) {
      capped = false;
      reach = furthest;
      continue;
    }
    if (over <= 1) return { chunk: { ir: slice, part }, end, next };
    if (end <= breaks.firstGrapheme(start)) return bareChunk(cut, end);
    // A little less than in proportion, so that a few rounds are enough.
    const guess = start + Math.floor(((end - start) / over) * 0.98);
    // The guess may be too low for a row that fits alone.
    const row = breaks.rowEnd(start) ?? end;
    reach = guess < row && row < end ? row : Math.max(start + 1, Math.min(end - 1, guess));
  }
}

/** One grapheme that does not fit with its prefixes goes without them, and one that does not fit at all is cut between code points. */
function bareChunk(cut: Cut, end: number): Taken {
  const { ir, profile, start, room } = cut;
  let stop = end;
  for (;;) {
    const text = ir.text.slice(start, stop);
    const slice: MarkdownIR = { text, styles: [], links: [], mentions: [], blocks: [] };
    const { part } = renderFitted(slice, profile);
    const size = stop - start;
    if (excess(part, room, profile) <= 1 || size <= 1 || (size === 2 && text.codePointAt(0) !== text.charCodeAt(0))) {
      return { chunk: { ir: slice, part }, end: stop, next: stop };
    }
    stop = start + Math.max(1, size >> 1);
    const low = ir.text.charCodeAt(stop);
    if (low >= 0xdc00 && low <= 0xdfff) stop += stop - start > 1 ? -1 : 1;
  }
}

/** By what factor a part is too large: at most 1 when it fits. */
function excess(part: RenderedPart, room: number | null, profile: RenderProfile): number {
  const byLength = room === null ? 0 : part.length / Math.max(1, room);
  const bySpans = profile.maxSpans === undefined ? 0 : (part.entities?.length ?? 0) / profile.maxSpans;
  return Math.max(byLength, bySpans);
}
