import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError, type Store, systemClock } from "@trunkline/plugin-sdk";
import { onTestFinished } from "vitest";
import { openStore } from "./store/open.ts";

/** A folder that is gone when the test is. */
export function tempFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "trunkline-core-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A real store on a file of its own. Closed when the test ends. */
export async function tempStore(folder = tempFolder()): Promise<Store> {
  const store = await openStore({ url: `sqlite:${join(folder, "trunkline.db")}`, clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/** A store whose next writes can be made to fail before they reach the disk. */
export interface FaultyStore extends Store {
  /** Lets `pass` writes through, then fails `fail` of them. */
  failWrites(fail: number, pass?: number): void;
  /** Writes so far, also failed ones. */
  writes(): number;
}

export function faultyStore(store: Store): FaultyStore {
  let pass = 0;
  let fail = 0;
  let writes = 0;
  return {
    dialect: store.dialect,
    read: (query) => store.read(query),
    stats: () => store.stats(),
    close: () => store.close(),
    writes: () => writes,
    failWrites(count, after = 0) {
      fail = count;
      pass = after;
    },
    write(unit, durability) {
      writes += 1;
      if (pass > 0) pass -= 1;
      else if (fail > 0) {
        fail -= 1;
        return Promise.reject(new GatewayError("STORE_FAILED", { retryable: true }));
      }
      return store.write(unit, durability);
    },
  };
}
