// @ts-check
import { writeSync } from "node:fs";

/**
 * The events of a run at which a process can die: each has a name, and an occurrence counted from the moment the run began. A run either
 * only writes down what happens, or dies at one of them.
 * @typedef {{ name: string, occurrence: number }} Point
 */

/** Where the trace of the run goes: one name a line, written before anything else happens. */
const TRACE_FD = 3;

/** @type {Map<string, number> | undefined} Occurrences by name; undefined while no run is on. */
let counts;
/** @type {Point | undefined} */
let killAt;

/** Begins a run, and forgets the one before. @param {Point} [at] where to die; absent: nowhere */
export function beginRun(at) {
  counts = new Map();
  killAt = at;
}

/** Ends a run: what happens from here on counts for nothing. */
export function endRun() {
  counts = undefined;
}

/** Something happens at which a process may die. Dies here when this is the place. @param {string} name */
export function reach(name) {
  if (counts === undefined) return;
  const occurrence = (counts.get(name) ?? 0) + 1;
  counts.set(name, occurrence);
  writeSync(TRACE_FD, `${name}\n`);
  if (killAt?.name === name && killAt.occurrence === occurrence) dieNow();
}

/** SIGKILL: no handler, no flush, no goodbye. */
export function dieNow() {
  process.kill(process.pid, "SIGKILL");
  for (;;); // not one more instruction of the gateway
}

// What the tools of a story reach their points by: they are another module graph than this preload's.
/** @type {Record<symbol, unknown>} */ (globalThis)[Symbol.for("trunkline.test.crash-points")] = { reach, dieNow };
