/** The pace of one thing that is limited. Times are of the monotonic clock, ms; rates are per second, Infinity for none. */
export interface Pace {
  /** When the next one may go. */
  opensAt(perSecond: number): number;
  take(now: number, perSecond: number): void;
  /** Nothing goes before `until`. */
  rest(until: number): void;
  /** Whether it would behave like a new one. */
  isAtRest(now: number): boolean;
}

/** How much may go at once before the pace counts, ms of it: a second's worth. */
const BURST_MS = 1000;

/** Creates a pace: a bucket that leaks evenly, and that can be closed for a while. */
export function createPace(): Pace {
  /** When everything that went would have gone at an even pace. */
  let even = 0;
  let closed = 0;
  return {
    opensAt(perSecond) {
      const gap = 1000 / perSecond;
      return Math.max(closed, perSecond === Infinity ? 0 : even - Math.max(0, BURST_MS - gap));
    },
    take(now, perSecond) {
      even = perSecond === Infinity ? 0 : Math.max(even, now) + 1000 / perSecond;
    },
    rest(until) {
      closed = Math.max(closed, until);
    },
    isAtRest: (now) => closed <= now && even <= now,
  };
}
