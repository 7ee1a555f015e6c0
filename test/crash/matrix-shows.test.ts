import { describe, expect, it } from "vitest";
import type { Point } from "./matrix/gateway-child.ts";
import { Lab } from "./matrix/lab.ts";
import { type MatrixRow, pointsOf, runMatrix } from "./matrix/matrix.ts";
import { NON_IDEMPOTENT, pinging, PLAIN } from "./matrix/stories.ts";
import type { Story } from "./matrix/story.ts";
import { telegramWorld } from "./matrix/telegram-world.ts";

/** Where the gateway has to keep what it is about to do: killed there, each rule that is taken away is missed. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  [PLAIN.name]: ["commit (insert conversations, insert inbox, insert messages): after", "call sendMessage: answered"],
  [NON_IDEMPOTENT.name]: ["tool book: after"],
};

function telling(points: readonly Point[], story: Story): readonly Point[] {
  const chosen = points.filter(({ name, occurrence }) => occurrence === 1 && TELLING[story.name]?.includes(name));
  expect(chosen).toHaveLength(TELLING[story.name]!.length);
  return chosen;
}

function tellingMatrix(fault?: string): Promise<MatrixRow[]> {
  return runMatrix({
    makeWorld: telegramWorld,
    stories: [PLAIN, NON_IDEMPOTENT],
    choose: telling,
    ...(fault === undefined ? {} : { fault }),
  });
}

describe("the crash matrix sees when a rule is taken away", { timeout: 300_000 }, () => {
  it("and nothing when all are there", async () => {
    const rows = await tellingMatrix();
    expect(rows.map(({ killed, problems }) => ({ killed, problems }))).toEqual([
      { killed: 2, problems: [] },
      { killed: 1, problems: [] },
    ]);
  });

  it.each([
    ["no sending state", /plain answer .* killed at "call sendMessage: answered".*: seen twice/],
    ["no unique claim", /plain answer .* killed at "commit \(insert conversations.*\): after".*accepted of/],
    ["no step journal", /tool .* killed at "tool book: after".*the tool ran 2 times/],
    ["no durable intention", /tool .* killed at "tool book: after".*the tool ran 2 times/],
  ])("%s", async (fault, problem) => {
    const problems = (await tellingMatrix(fault)).flatMap((row) => row.problems);
    expect(problems.join("\n")).toMatch(problem);
  });
});

it("a call and a commit that are new become points of the matrix by themselves", { timeout: 120_000 }, async () => {
  const world = await telegramWorld();
  const lab = await Lab.open(world);
  try {
    const before = pointsOf((await lab.run(PLAIN)).trace);
    const run = await lab.run(pinging(/apiRoot: "(.*)"/.exec(world.accountYaml)![1]!));
    expect(run.problems).toEqual([]);
    const names = new Set(before.map(({ name }) => name));
    const more = pointsOf(run.trace).filter(({ name }) => !names.has(name) && !name.includes("update turns"));
    expect(more.map(({ name }) => name)).toEqual([
      "commit (insert steps): before",
      "commit (insert steps): after",
      "tool ping: before",
      "call getMe: before",
      "call getMe: answered",
      "tool ping: after",
    ]);
  } finally {
    await lab.close();
  }
});
