import type { Clock } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";
import type { OutboxRow } from "../store/outbox.ts";

/** Waits that are remembered; one that is forgotten is read off the wall clock again. */
const REMEMBERED = 10_000;

/** How long parts still have to wait. */
export interface DueTimes {
  /** Ms until the part may be tried; 0 or less when it may. */
  waitOf(row: Pick<OutboxRow, "id" | "nextAt">): number;
}

/**
 * The table has wall time, since it outlives the process. Within the process a wait is one by the monotonic clock, from when it is first
 * seen: a wall clock that jumps makes no part early, and none wait an hour longer.
 */
export function createDueTimes(clock: Clock): DueTimes {
  const seen = new LruMap<{ readonly nextAt: number; readonly due: number }>(REMEMBERED);
  return {
    waitOf({ id, nextAt }) {
      if (nextAt === 0) return 0;
      const now = clock.monotonic();
      const known = seen.get(id);
      if (known?.nextAt === nextAt) return known.due - now;
      const due = now + (nextAt - clock.now());
      seen.set(id, { nextAt, due });
      return due - now;
    },
  };
}
