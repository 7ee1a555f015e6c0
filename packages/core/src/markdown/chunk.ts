import type { ChunkMode, MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { BreakFinder } from "./breaks.ts";
import { type Fitted, hasVisibleText, renderFitted } from "./render/part.ts";
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
    const whole = renderFitted(ir, profile, { room: first, looksLong: false });
    if (whole.fits >= ir.text.length && isWithin(whole, first, profile))
      return hasVisibleText(whole.part.plain) ? [{ ir, part: whole.part }] : [];
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
    if (hasVisibleText(next.chunk.part.plain)) chunks.push(next.chunk);
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
  /** How much of a message it fills: 1 is all. */
  readonly fullness: number;
}

interface Cut {
  readonly ir: MarkdownIR;
  readonly profile: RenderProfile;
  readonly slicer: IRSlicer;
  readonly breaks: BreakFinder;
  readonly start: number;
  readonly room: number | null;
}

/** Sizes are tried in sixteenths of the limit; the first is a quarter, which tells how much the text grows when it is rendered. */
const STEPS = 16;
const SAMPLE = 4;

/**
 * The longest chunk from `start` that fits, of sizes that depend on the limit and on what surely is in the chunk. How much text follows, and
 * by how much a larger size was too large, makes no difference to where a chunk ends: that of a growing text stays where it was.
 */
function nextChunk(cut: Cut): Taken {
  const { ir, profile, slicer, start, room } = cut;
  const rest = ir.text.length - start;
  const whole = room === null || rest <= room ? attempt(cut, ir.text.length) : undefined;
  if (whole !== undefined) return whole;
  const size = room ?? rest;
  let best: Taken | undefined;
  let low = 0;
  const reachOf = (step: number): number => start + Math.floor((size * step) / STEPS);
  const atStep = (step: number): Taken | undefined => {
    const reach = reachOf(step);
    // Text is spread evenly enough to guess from what fitted.
    const looksLong = best !== undefined && best.chunk.part.length * step > size * low;
    return reach > start && reach < ir.text.length ? attempt(cut, reach, looksLong) : undefined;
  };
  // More spans than a message may have are a sign to begin with less.
  const crowded = Math.ceil(((slicer.crowdedAt(profile.maxSpans ?? Infinity) - start) / size) * STEPS);
  const sample = Math.min(STEPS, Math.max(1, Math.ceil(STEPS / size), Math.min(SAMPLE, crowded)));
  best = atStep(sample);
  if (best !== undefined) low = sample;
  let high = best === undefined ? sample : STEPS + 1;
  const full = best?.fullness ?? 0.5;
  let probe = Math.max(low + 1, Math.min(high - 1, Math.floor(sample / Math.max(full, sample / STEPS)), crowded));
  for (let stride = 1; high - low > 1; stride *= 2) {
    const taken = atStep(probe);
    if (taken === undefined) high = probe;
    else {
      low = probe;
      best = taken;
    }
    probe = taken === undefined ? Math.max(low + 1, high - stride) : Math.min(high - 1, low + stride);
  }
  // A size counts when all of its text fits, wherever it is cut below that: else a text that ends in it would have been cut elsewhere.
  for (let step = low; best !== undefined && step > Math.max(1, low - SMALLER) && !fitsWhole(cut, best, reachOf(step)); step -= 1) {
    best = atStep(step - 1) ?? best;
  }
  return best ?? smallChunk(cut, size);
}

/** Steps down that are tried for that: more would cost more than a cut that moves. */
const SMALLER = 3;

/** Whether all of the text up to `reach`, and not only the chunk that ends before it, would fit into one message. */
function fitsWhole({ profile, slicer, room }: Cut, { end }: Taken, reach: number): boolean {
  // Blocks have limits of their own, which a cut follows anyway.
  if (end === reach || profile.output === "blocks") return true;
  const fitted = renderFitted(slicer.slice(reach), profile, { room, looksLong: true });
  return isWithin(fitted, room, profile);
}

/** How much of a message a chunk fills, by whatever fills it most. */
function fullnessOf({ part, spans, fullness }: Fitted, room: number | null, profile: RenderProfile): number {
  return Math.max(room === null ? 0 : part.length / Math.max(1, room), spans / (profile.maxSpans ?? Infinity), fullness);
}

/** The chunk that ends at the best break before `reach`, when it fits. Blocks have limits of their own, and they tell where to cut. */
function attempt(cut: Cut, reach: number, looksLong = false): Taken | undefined {
  const { ir, profile, slicer, breaks, start, room } = cut;
  const { end, next } = reach === ir.text.length ? { end: reach, next: reach } : breaks.find(start, reach, room ?? reach - start);
  const slice = slicer.slice(end);
  const fitted = renderFitted(slice, profile, { room, looksLong });
  if (fitted.fits >= end - start) {
    if (!isWithin(fitted, room, profile)) return undefined;
    return { chunk: { ir: slice, part: fitted.part }, end, next, fullness: fullnessOf(fitted, room, profile) };
  }
  const shorter = start + fitted.fits;
  return fitted.fits > 0 && shorter < reach ? attempt(cut, shorter) : undefined;
}

/** Where not even a sixteenth of the limit fits: by halves down to one grapheme. */
function smallChunk(cut: Cut, size: number): Taken {
  const { breaks, start } = cut;
  const smallest = breaks.firstGrapheme(start);
  for (let step = Math.floor(size / STEPS / 2); start + step > smallest; step = Math.floor(step / 2)) {
    const taken = attempt(cut, start + step);
    if (taken !== undefined) return taken;
  }
  return attempt(cut, smallest) ?? bareChunk(cut, smallest);
}

/** One grapheme that does not fit with its prefixes goes without them, and one that does not fit at all is cut between code points. */
function bareChunk(cut: Cut, end: number): Taken {
  const { ir, profile, start, room } = cut;
  let stop = end;
  for (;;) {
    const text = ir.text.slice(start, stop);
    const slice: MarkdownIR = { text, styles: [], links: [], mentions: [], blocks: [] };
    const fitted = renderFitted(slice, profile, { room, looksLong: false });
    const size = stop - start;
    const fits = fitted.fits >= size && isWithin(fitted, room, profile);
    if (fits || size <= 1 || (size === 2 && text.codePointAt(0) !== text.charCodeAt(0))) {
      return { chunk: { ir: slice, part: fitted.part }, end: stop, next: stop, fullness: 1 };
    }
    stop = start + Math.max(1, size >> 1);
    const low = ir.text.charCodeAt(stop);
    if (low >= 0xdc00 && low <= 0xdfff) stop += stop - start > 1 ? -1 : 1;
  }
}

/** Whether a part has the size and the number of spans that a message may have. */
function isWithin({ part, spans }: Fitted, room: number | null, profile: RenderProfile): boolean {
  return (room === null || part.length <= Math.max(1, room)) && spans <= (profile.maxSpans ?? Infinity);
}
