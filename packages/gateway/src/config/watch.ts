import { stat } from "node:fs/promises";
import type { Clock } from "@trunkline/plugin-sdk";

/** How often the files are looked at, ms. A change is told of after the second look that finds the same state: within twice this. */
export const LOOK_MS = 400;

/** Looks after the files of a configuration until it is closed. */
export interface FileWatch {
  /** Other files from now on. Calls back once for them as they are: they may have changed since they were read. */
  watch(paths: readonly string[]): void;
  close(): void;
}

/** How the state of a file is found; replaced in tests. */
export type StateOf = (path: string) => Promise<string>;

/**
 * Calls back when a file has changed and then rested for one look, so that an editor or a copy program is done with it. Looking (a `stat`
 * of a handful of files, every 400 ms) rather than being notified is one mechanism that sees everything: files replaced by rename, links
 * that are pointed elsewhere, files that appear, network drives and mounted folders, where the system's notifications are silent.
 */
export function watchFiles(clock: Clock, changed: () => void, stateOf: StateOf = stateOnDisk): FileWatch {
  let paths: readonly string[] = [];
  let generation = 0;
  /** The state that was last told of; the empty text is none. */
  let known = "";
  let previous = "";
  let closed = false;
  let cancel = (): void => {};

  const look = async (): Promise<void> => {
    const at = generation;
    const state = (await Promise.all(paths.map(stateOf))).join("\n");
    if (closed || at !== generation) return;
    const rested = state === previous;
    previous = state;
    if (state === known || !rested) return;
    known = state;
    changed();
  };
  const again = (): void => {
    cancel = clock.timer(LOOK_MS, () => void look().finally(() => closed || again()));
  };
  again();
  return {
    watch(next) {
      if (next.length === paths.length && next.every((path, index) => path === paths[index])) return;
      paths = next;
      generation += 1;
      known = "";
      previous = "";
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

/** Changes with every write and every replacement; `gone` when there is none. Times in ns, since two writes can share a ms. */
async function stateOnDisk(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "gone";
  }
}
