/** A seeded source of numbers in [0, 1); the same seed gives the same run. */
export type Random = () => number;

const WARM_UP_ROUNDS = 8;

/** Creates a small seeded generator (a 32 bit xorshift): good enough to place faults, not for secrets. */
export function createRandom(seed: number): Random {
  // An xorshift never leaves the state 0, and small seeds need some rounds before their bits are spread.
  let state = (seed | 0) === 0 ? 0x1234_5678 : seed | 0;
  const next: Random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) next();
  return next;
}
