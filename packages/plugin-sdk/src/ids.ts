import { monotonicFactory } from "ulid";

/** Prefixes of internal ids: inbound, turn, outbox part, command-line request. */
export type IdPrefix = "in" | "tn" | "ob" | "rq";

/** The only source of identifiers. */
export interface Ids {
  /** A new id, `<prefix>_<ULID>`: unique, and in ascending order within one process. */
  next(prefix: IdPrefix): string;
}

/**
 * Ids from a clock and a random source in [0, 1). Inject both in tests, so that runs repeat.
 * The ULIDs of one generator ascend even within a millisecond and when the clock goes back.
 */
export function createIds(now: () => number, random: () => number): Ids {
  const ulid = monotonicFactory(random);
  let last = 0;
  return {
    next(prefix) {
      last = Math.max(last, now());
      return `${prefix}_${ulid(last)}`;
    },
  };
}
