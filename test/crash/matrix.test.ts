import { describe, expect, it } from "vitest";
import { runMatrix } from "./matrix/matrix.ts";
import { STORIES } from "./matrix/stories.ts";
import { telegramWorld } from "./matrix/telegram-world.ts";
import { webWorld } from "./matrix/web-world.ts";

const ONLY = process.env.TRUNKLINE_CRASH_STORIES?.split(",");

describe.each([
  ["telegram", telegramWorld],
  ["web", webWorld],
] as const)("kill -9 at every commit and every call, on %s", (channel, makeWorld) => {
  it("every answer is seen once, in order", { timeout: 600_000 }, async () => {
    const stories = STORIES.filter((story) => story.channels.includes(channel) && (ONLY?.includes(story.name) ?? true));
    const choose = process.env.TRUNKLINE_CRASH === "record" ? () => [] : undefined;
    const rows = await runMatrix({ makeWorld, stories, onRun: console.log, ...(choose ? { choose } : {}) });
    console.log(rows);
    expect(rows.flatMap((row) => row.problems)).toEqual([]);
  });
});
