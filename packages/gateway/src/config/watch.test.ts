import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@trunkline/plugin-sdk/testing";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type FileWatch, LOOK_MS, watchFiles } from "./watch.ts";

let clock: VirtualClock;
let states: Record<string, string>;
let told: number;
let watch: FileWatch;

beforeEach(async () => {
  clock = createVirtualClock();
  states = { a: "1", b: "1" };
  told = 0;
  watch = watchFiles(
    clock,
    () => (told += 1),
    async (path) => states[path] ?? "gone",
  );
  watch.watch(["a", "b"]);
  await looks(3);
  told = 0;
});

async function looks(count: number): Promise<void> {
  for (let look = 0; look < count; look += 1) await clock.advance(LOOK_MS);
}

describe("watchFiles", () => {
  it("tells of a change once, within two looks", async () => {
    await looks(5);
    expect(told).toBe(0);
    states["a"] = "2";
    await looks(2);
    expect(told).toBe(1);
    await looks(5);
    expect(told).toBe(1);
  });

  it("waits until a file that is being written rests", async () => {
    for (const size of ["2", "3", "4"]) {
      states["b"] = size;
      await looks(1);
    }
    expect(told).toBe(0);
    await looks(1);
    expect(told).toBe(1);
  });

  it("tells when a file goes and when it comes", async () => {
    delete states["a"];
    await looks(2);
    states["a"] = "1";
    await looks(2);
    expect(told).toBe(2);
  });

  it("tells once of new files, which may have changed since they were read, and no more of old ones", async () => {
    watch.watch(["a", "c"]);
    await looks(2);
    expect(told).toBe(1);
    states["b"] = "2";
    await looks(3);
    expect(told).toBe(1);
    watch.watch(["a", "c"]);
    await looks(3);
    expect(told).toBe(1);
  });

  it("looks no more when it is closed", async () => {
    states["a"] = "2";
    watch.close();
    await looks(3);
    expect(told).toBe(0);
    expect(clock.pending()).toEqual([]);
  });
});

describe("on a real disk", () => {
  it("sees a file that is replaced by rename, a link that is pointed elsewhere, and a new file in a folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-watch-"));
    const path = (name: string): string => join(folder, name);
    for (const name of ["file", "one", "two"]) writeFileSync(path(name), "same");
    symlinkSync(path("one"), path("link"));
    const seen = vi.fn();
    const disk = watchFiles(clock, seen);
    onTestFinished(() => {
      disk.close();
      rmSync(folder, { recursive: true, force: true });
    });
    disk.watch([path("file"), path("link"), folder]);
    // Real I/O behind a clock that stands still: it moves until what is awaited has happened.
    const expectSeen = (times: number): Promise<void> =>
      vi.waitFor(async () => {
        await clock.advance(LOOK_MS);
        expect(seen).toHaveBeenCalledTimes(times);
      });
    await expectSeen(1);
    writeFileSync(path("new"), "same");
    renameSync(path("new"), path("file"));
    await expectSeen(2);
    symlinkSync(path("two"), path("newlink"));
    renameSync(path("newlink"), path("link"));
    await expectSeen(3);
    writeFileSync(path("agent.yaml"), "");
    await expectSeen(4);
  });
});
