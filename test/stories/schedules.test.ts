import { expect, it } from "vitest";
import { runSchedules } from "../support/schedules/ground.ts";

/** `pnpm schedules` runs more of them. */
const RUNS = Number(process.env["SCHEDULES"] ?? 500);
const FROM = Number(process.env["SCHEDULES_FROM"] ?? 1);

it(`in ${RUNS} random schedules nothing is lost, stranded, out of order or answered twice`, { timeout: 3_600_000 }, async () => {
  const began = performance.now();
  const { fault, ran } = await runSchedules(FROM, FROM + RUNS);
  if (RUNS > 500) process.stdout.write(`${ran} schedules in ${Math.round((performance.now() - began) / 1000)} s\n`);
  expect(fault).toBeUndefined();
});
