// @ts-check
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { percentile } from "./numbers.mjs";
import { pause } from "./wait.mjs";

/** What the numbers were taken on. The load says how busy the machine was with other things before the bench began. */
export async function describeMachine() {
  return {
    node: process.version,
    system: `${platform()} ${release()}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    loadBefore: load(),
    flushMs: await flushTimes(0),
    // A disk that rests between flushes takes longer: what a commit waits for at the pace of the overhead rows.
    flushMsAt50: await flushTimes(20),
  };
}

/** Load averages over 1, 5 and 15 minutes. */
export function load() {
  return loadavg().map((value) => Math.round(value * 100) / 100);
}

/** How long the disk under the temporary folder takes to flush 4 kB: what each durable commit waits for. @param {number} pauseMs between two */
async function flushTimes(pauseMs) {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-bench-disk-"));
  const file = openSync(join(folder, "flush"), "w");
  const block = Buffer.alloc(4096, 1);
  const times = [];
  while (times.length < 100) {
    const started = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    times.push(performance.now() - started);
    if (pauseMs > 0) await pause(pauseMs);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return { p50: round(percentile(times, 0.5)), p99: round(percentile(times, 0.99)) };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}
