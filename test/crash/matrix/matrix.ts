import type { Point } from "./gateway-child.ts";
import { Lab } from "./lab.ts";
import type { Story } from "./story.ts";
import type { World } from "./world.ts";

/** What the kills of one story on one channel came to. */
export interface MatrixRow {
  readonly story: string;
  readonly channel: string;
  /** Different points of the recorded run. */
  readonly points: number;
  /** Runs that died at their point. */
  readonly killed: number;
  /** Of those, how often the person saw every answer exactly once. */
  readonly once: number;
  readonly doubled: number;
  readonly missing: number;
  /** Runs that ended without coming to their point. */
  readonly notReached: number;
  /** Broken promises, each with its point. */
  readonly problems: readonly string[];
}

/** The points of a recorded run. */
export function pointsOf(trace: readonly string[]): readonly Point[] {
  const counts = new Map<string, number>();
  return trace.map((name) => {
    const occurrence = (counts.get(name) ?? 0) + 1;
    counts.set(name, occurrence);
    return { name, occurrence };
  });
}

export interface MatrixOptions {
  readonly makeWorld: () => Promise<World>;
  readonly stories: readonly Story[];
  /** The points to kill at, of those of a recorded run. All of them when absent. */
  readonly choose?: (points: readonly Point[]) => readonly Point[];
  readonly fault?: string;
  /** Called after each kill. */
  readonly onRun?: (what: string) => void;
}

/** Records each story, then plays it again once for each point, with a death there. */
export async function runMatrix({ makeWorld, stories, choose = (points) => points, fault, onRun }: MatrixOptions): Promise<MatrixRow[]> {
  let lab = await Lab.open(await makeWorld(), fault);
  const rows: MatrixRow[] = [];
  try {
    for (const story of stories) {
      const recorded = await lab.run(story);
      if (recorded.problems.length > 0) throw new Error(`"${story.name}" fails without a crash: ${recorded.problems.join("; ")}`);
      const points = pointsOf(recorded.trace);
      const row = { killed: 0, once: 0, doubled: 0, missing: 0, notReached: 0, problems: [] as string[] };
      for (const point of choose(points)) {
        const started = performance.now();
        const run = await lab.run(story, point);
        const where = `${story.name} on ${lab.world.channel}, killed at "${point.name}" (${point.occurrence})`;
        if (run.died) row.killed += 1;
        else row.notReached += 1;
        row.doubled += run.doubled;
        row.missing += run.missing;
        if (run.died && run.problems.length + run.doubled + run.missing === 0) row.once += 1;
        onRun?.(`${where}: ${run.died ? "" : "not reached, "}${Math.round(performance.now() - started)} ms`);
        if (run.problems.length === 0) continue;
        row.problems.push(`${where}: ${run.problems.join("; ")}`);
        // What went wrong must not be found again in every later run.
        await lab.close();
        lab = await Lab.open(await makeWorld(), fault);
      }
      rows.push({ story: story.name, channel: lab.world.channel, points: points.length, ...row });
    }
  } finally {
    await lab.close();
  }
  return rows;
}
