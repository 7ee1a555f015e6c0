/** First wait, in ms; each further one doubles. */
const BASE_MS = 500;
/** Longest wait, in ms. */
const MAX_MS = 60_000;

/** The wait before attempt `attempt + 1`: exponential, bounded, with jitter of half its length. `random` is in [0, 1). Pure. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(MAX_MS, BASE_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (full / 2) * random);
}
