import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Hooks } from "@trunkline/plugin-sdk";

/** Time without a message or a sent part after which memory is given back, ms. */
const QUIET_MS = 10_000;

/**
 * Gives memory back to the system when it has become quiet after work: V8 grows its heap in a burst and shrinks it only at a full
 * collection, for which a gateway that has nothing to do may wait for hours. One collection for each quiet time; it takes tens of ms, in
 * which nobody waits.
 */
export function giveMemoryBackWhenQuiet(hooks: Hooks, clock: Clock, collect: () => void = fullCollection()): void {
  let busyAt = 0;
  let armed = false;
  const look = (): void => {
    const left = busyAt + QUIET_MS - clock.monotonic();
    if (left > 0) {
      clock.timer(left, look);
      return;
    }
    armed = false;
    collect();
  };
  const worked = (): void => {
    busyAt = clock.monotonic();
    if (armed) return;
    armed = true;
    clock.timer(QUIET_MS, look);
  };
  hooks.observe("gateway:ready", worked);
  hooks.observe("message_received", worked);
  hooks.observe("delivery:sent", worked);
}

/** The engine's own full collection. Without `--expose-gc` at the start of the process, a new context gets it. */
function fullCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return () => {
    // The first one frees; what is empty then, V8 gives back at the next.
    collect();
    collect();
  };
}
