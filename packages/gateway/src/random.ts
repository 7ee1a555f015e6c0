import { randomFillSync } from "node:crypto";

/** Numbers drawn from the system at once: one call for each would be dear in a busy gateway. */
const POOL_SIZE = 1024;

/** A source in [0, 1) of the quality of the system's own, for ids and jitter. */
export function createRandom(): () => number {
  const pool = new Uint32Array(POOL_SIZE);
  let next = POOL_SIZE;
  return () => {
    if (next === POOL_SIZE) {
      randomFillSync(pool);
      next = 0;
    }
    return pool[next++]! / 2 ** 32;
  };
}
