import type { Clock } from "@trunkline/plugin-sdk";

/** Visitors that are remembered; the oldest is forgotten first. */
const VISITORS = 1000;
const WINDOW_MS = 60_000;

/** How much one visitor may do in a minute. A person never notices it; a script that has got hold of a cookie does. */
export interface Rate {
  /** Counts one; gives ms until the next may come, 0 when this one may. */
  take(visitor: string): number;
}

/** Creates a count that allows `perMinute`. The minute starts with the first. */
export function createRate(clock: Clock, perMinute: number): Rate {
  const windows = new Map<string, { readonly since: number; count: number }>();
  return {
    take(visitor) {
      const now = clock.monotonic();
      const window = windows.get(visitor);
      if (window !== undefined && now - window.since < WINDOW_MS) {
        if (window.count >= perMinute) return Math.ceil(window.since + WINDOW_MS - now);
        window.count += 1;
        return 0;
      }
      windows.delete(visitor);
      const [oldest] = windows.keys();
      if (oldest !== undefined && windows.size >= VISITORS) windows.delete(oldest);
      windows.set(visitor, { since: now, count: 1 });
      return 0;
    },
  };
}
