import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@trunkline/core";
import { systemClock } from "@trunkline/plugin-sdk";
import { type Ground, runSchedule } from "./schedule.ts";

/** Memory that looks like a disk, where there is one: schedules are about order, not about flushes. */
const FAST = "/dev/shm";

/** Schedules that share one database, so that it stays small. */
const SHARED_BY = 250;

/** Runs schedules `from` up to, not including, `to`; gives what was wrong with the first that was, and how many ran. */
export async function runSchedules(from: number, to: number): Promise<{ readonly fault: string | undefined; readonly ran: number }> {
  for (let first = from; first < to; first += SHARED_BY) {
    const result = await onGround(async (ground) => {
      for (let seed = first; seed < Math.min(to, first + SHARED_BY); seed += 1) {
        const fault = await runSchedule(seed, ground);
        if (fault !== undefined) return { fault, ran: seed - from + 1 };
      }
      return undefined;
    });
    if (result !== undefined) return result;
  }
  return { fault: undefined, ran: to - from };
}

async function onGround<T>(use: (ground: Ground) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(existsSync(FAST) ? FAST : tmpdir(), "trunkline-schedules-"));
  const store = await openStore({ url: `sqlite:${join(folder, "trunkline.db")}`, clock: systemClock });
  try {
    return await use({ store, folder });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
