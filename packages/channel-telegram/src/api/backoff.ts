/** Bounds of the pauses between attempts, in ms. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** Makes the pauses of one account. */
export interface Backoff {
  /** The next pause in ms: twice the last one, at most a minute, shortened by up to half. */
  next(): number;
  /** What was tried worked: start again with the shortest. */
  reset(): void;
}

/**
 * Creates the pauses. `seed` (the account) decides how they are shortened, so that accounts and gateways that fell silent together do
 * not come back together; no randomness is drawn, so a run can be repeated.
 */
export function createBackoff(seed: string): Backoff {
  let attempt = 0;
  let state = [...seed].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0, 2_166_136_261);
  return {
    next() {
      const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
      attempt = Math.min(attempt + 1, 16);
      // A linear congruential step; only spread matters here.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.round(full * (1 - state / 2 ** 33));
    },
    reset() {
      attempt = 0;
    },
  };
}
