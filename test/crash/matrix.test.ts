import { describe, expect, it } from "vitest";
import { runMatrix } from "./matrix/matrix.ts";
import { STORIES } from "./matrix/stories.ts";
import { telegramWorld } from "./matrix/telegram-world.ts";
import { webWorld } from "./matrix/web-world.ts";

describe.each([
  ["Telegram", telegramWorld],
  ["web", webWorld],
] as const)("kill -9 at every commit and every call, on %s", (_name, makeWorld) => {
  it("every answer is seen once, in order", { timeout: 600_000 }, async () => {
    const rows = await runMatrix({ makeWorld: () => makeWorld(), stories: STORIES, onRun: console.log });
    console.log(rows);
    expect(rows.flatMap((row) => row.problems)).toEqual([]);
  });
});
