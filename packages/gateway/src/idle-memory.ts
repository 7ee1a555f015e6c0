import { Session } from "node:inspector";
import type { Clock } from "@trunkline/plugin-sdk";

/** Quiet time before memory is given back, ms. */
const QUIET_MS = 10_000;

export interface IdleMemoryOptions {
  readonly clock: Clock;
  /** ms UTC of the last message in or out; 0 before the first. */
  readonly lastActivity: () => number;
  /** Gives memory back to the machine; blocks for a tenth of a second. */
  readonly collect?: () => void;
}

/**
 * Gives back what start-up and busy times needed, once per quiet time: V8 keeps its young generation as large as it ever was
 * (about 20 MB after start-up), and a gateway on a small machine is idle most of the day. The returned function ends it.
 */
export function releaseIdleMemory({ clock, lastActivity, collect = collectGarbage }: IdleMemoryOptions): () => void {
  let collectedFor = -1;
  let cancel: () => void = () => {};
  const look = (): void => {
    const last = lastActivity();
    if (last !== collectedFor && clock.now() - last >= QUIET_MS) {
      collectedFor = last;
      collect();
    }
    cancel = clock.timer(QUIET_MS, look);
  };
  cancel = clock.timer(QUIET_MS, look);
  return () => cancel();
}

/** A collection that also shrinks the heap: `gc()` does not, and the flags that would cannot be set in a running process. Opens no port. */
function collectGarbage(): void {
  const session = new Session();
  session.connect();
  session.post("HeapProfiler.collectGarbage", () => session.disconnect());
}
