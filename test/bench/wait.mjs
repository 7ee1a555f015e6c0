// @ts-check

/**
 * Waits for a condition that has no event.
 * @param {() => boolean | Promise<boolean>} condition
 * @param {() => string} what Says what was waited for, for the error.
 * @param {{ timeoutMs?: number, pauseMs?: number, giveUp?: () => boolean }} [options]
 */
export async function waitUntil(condition, what, { timeoutMs = 30_000, pauseMs = 20, giveUp = () => false } = {}) {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline || giveUp()) throw new Error(`waited in vain for ${what()}`);
    await pause(pauseMs);
  }
}

/** @param {number} ms @returns {Promise<void>} */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
