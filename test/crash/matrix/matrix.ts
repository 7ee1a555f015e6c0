import type { Point } from "./gateway-child.ts";
import { Lab, type Run } from "./lab.ts";
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

type Counts = { -readonly [Name in "killed" | "once" | "doubled" | "missing" | "notReached"]: MatrixRow[Name] } & {
  readonly problems: string[];
};

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
  readonly makeWorld: (onAmbiguous: Story["onAmbiguous"]) => Promise<World>;
  readonly stories: readonly Story[];
  /** The points to kill at, of those of a recorded run. All of them when absent. */
  readonly choose?: (points: readonly Point[], story: Story) => readonly Point[];
  /** A rule of the gateway that is taken away; see child/faults.mjs. */
  readonly fault?: string;
  /** Called after each run that was to die. */
  readonly onRun?: (what: string) => void;
}

/** Records each story, then plays it again once for each point, with a death there. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = [];
  for (const stories of alike(options.stories)) rows.push(...(await runAlike(stories, options)));
  return options.stories.map(({ name }) => rows.find((row) => row.story === name)!);
}

/** Stories that can be played in one lab. */
function alike(stories: readonly Story[]): readonly (readonly Story[])[] {
  const groups = new Map<string, Story[]>();
  for (const story of stories) {
    const key = `${story.agent} ${story.onAmbiguous}`;
    groups.set(key, [...(groups.get(key) ?? []), story]);
  }
  return [...groups.values()];
}

async function runAlike(stories: readonly Story[], options: MatrixOptions): Promise<MatrixRow[]> {
  const { makeWorld, choose = (points) => points, fault, onRun } = options;
  const open = async ({ agent, onAmbiguous }: Story): Promise<Lab> =>
    Lab.open(await makeWorld(onAmbiguous), { agent, ...(fault === undefined ? {} : { fault }) });
  let lab = await open(stories[0]!);
  const rows: MatrixRow[] = [];
  try {
    for (const story of stories) {
      const recorded = await lab.run(story);
      const points = pointsOf(recorded.trace);
      const { channel } = lab.world;
      const row = { killed: 0, once: 0, doubled: 0, missing: 0, notReached: 0, problems: [] as string[] };
      if (recorded.problems.length > 0) row.problems.push(`${story.name} on ${channel}, without a crash: ${recorded.problems.join("; ")}`);
      for (const point of row.problems.length > 0 ? [] : choose(points, story)) {
        const started = performance.now();
        const run = await lab.run(story, point);
        const where = `${story.name} on ${channel}, killed at "${point.name}" (${point.occurrence})`;
        count(run, where, row);
        onRun?.(`${where}: ${run.died ? "" : "not reached, "}${run.problems.join("; ")} ${Math.round(performance.now() - started)} ms`);
        if (run.problems.length === 0) continue;
        // What went wrong must not be found again in every later run.
        await lab.close();
        lab = await open(story);
      }
      rows.push({ story: story.name, channel, points: points.length, ...row });
    }
  } finally {
    await lab.close();
  }
  return rows;
}

function count(run: Run, where: string, row: Counts): void {
  if (run.died) row.killed += 1;
  else row.notReached += 1;
  row.doubled += run.doubled;
  row.missing += run.missing;
  if (run.died && run.problems.length + run.doubled + run.missing === 0) row.once += 1;
  if (run.problems.length > 0) row.problems.push(`${where}: ${run.problems.join("; ")}`);
}
