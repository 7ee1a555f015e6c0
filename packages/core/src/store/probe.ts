import type { Store } from "@trunkline/plugin-sdk";
import { writeMemory } from "./account-memory.ts";

/** A row of nobody's: no channel has this id. */
const ROW = { channel: "*", account: "*", name: "probe" };

/**
 * Writes one row and commits it: only that tells whether the store takes messages. Rejects with the store's error. The commit is not
 * flushed, so asking often costs little.
 */
export function probeStore(store: Store, now: number): Promise<void> {
  return store.write((tx) => writeMemory(tx, ROW, String(now), now), "committed");
}
