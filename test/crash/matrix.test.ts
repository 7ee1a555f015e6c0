import { describe, expect, it } from "vitest";
import { type MatrixRow, runMatrix } from "./matrix/matrix.ts";
import { samplePoints } from "./matrix/sample.ts";
import { STORIES } from "./matrix/stories.ts";
import { matrixTable, writeMatrix } from "./matrix/table.ts";
import { telegramWorld } from "./matrix/telegram-world.ts";
import { webWorld } from "./matrix/web-world.ts";

/** `pnpm crash` kills at all points; `npm test` at a few of each story, drawn with this seed. */
const ALL = process.env.TRUNKLINE_CRASH === "all";
const SEED = Number(process.env.TRUNKLINE_SEED ?? 20261130);
const SAMPLE = 2;
/** The names of some stories, with semicolons; all of them when absent. */
const ONLY = process.env.TRUNKLINE_CRASH_STORIES?.split(";");
/** Share of the runs that may end without coming to their point: what two timers do first is not always the same. */
const NOT_REACHED = 0.15;

describe.each([
  ["telegram", telegramWorld],
  ["web", webWorld],
] as const)("kill -9 at the commits and calls of recorded runs, on %s", (channel, makeWorld) => {
  it("every answer is seen once, in order, and no tool runs twice", { timeout: ALL ? 7_200_000 : 600_000 }, async () => {
    const stories = STORIES.filter((story) => story.channels.includes(channel) && (ONLY?.includes(story.name) ?? true));
    const rows = await runMatrix({
      makeWorld,
      stories,
      ...(ALL ? { onRun: (what) => console.log(what) } : { choose: (points) => samplePoints(points, SAMPLE, SEED) }),
    });
    console.log(`crash matrix on ${channel}${ALL ? "" : `, a sample with seed ${SEED}`}:\n${matrixTable(rows)}`);
    expect(rows.flatMap((row) => row.problems)).toEqual([]);
    expect(sumOf(rows, "killed")).toBeGreaterThan(0);
    const tried = sumOf(rows, "killed") + sumOf(rows, "notReached");
    expect(sumOf(rows, "notReached")).toBeLessThanOrEqual(Math.max(2, Math.ceil(tried * NOT_REACHED)));
    if (ALL && ONLY === undefined) writeMatrix(channel, rows);
  });
});

function sumOf(rows: readonly MatrixRow[], name: "killed" | "notReached"): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
