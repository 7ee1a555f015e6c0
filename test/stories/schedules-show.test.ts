import type { createLanes, Lanes } from "../../packages/core/src/lanes/lanes.ts";
import { describe, expect, it, vi } from "vitest";
import { runSchedules } from "../support/schedules/ground.ts";

type Create = typeof createLanes;
type Spoil = (deps: Parameters<Create>[0], create: Create) => Lanes;

const spoiled = vi.hoisted(() => ({ by: undefined as Spoil | undefined }));

vi.mock(import("../../packages/core/src/lanes/lanes.ts"), async (original) => {
  const real = await original();
  return { ...real, createLanes: (deps) => spoiled.by?.(deps, real.createLanes) ?? real.createLanes(deps) };
});

/** Most schedules within which a fault has to show. */
const WITHIN = 2000;

async function faultOf(spoil: Spoil): Promise<string | undefined> {
  spoiled.by = spoil;
  try {
    return (await runSchedules(1, 1 + WITHIN)).fault;
  } finally {
    spoiled.by = undefined;
  }
}

describe("the schedules notice", () => {
  it("lanes that let several turns of a session run at once", { timeout: 240_000 }, async () => {
    // Every wake gets a lane of its own: nothing is locked.
    const fault = await faultOf((deps, create) => {
      const all: Lanes[] = [create(deps)];
      return {
        ...all[0]!,
        wake(sessionKey, row) {
          const lane = create(deps);
          all.push(lane);
          lane.wake(sessionKey, row);
        },
        idle: async () => void (await Promise.all(all.map((lane) => lane.idle()))),
        close: async () => void (await Promise.all(all.map((lane) => lane.close()))),
      };
    });
    expect(fault).toMatch(/ran at once|answered \d times|never came to rest|out of order|came behind|not heard/);
  });

  it("lanes that do not look again when they are released", { timeout: 240_000 }, async () => {
    // What comes while a turn runs is forgotten by the lane; only the table knows it.
    const fault = await faultOf((deps, create) => {
      const lanes = create({
        ...deps,
        async look(sessionKey, previous) {
          const step = await deps.look(sessionKey, previous);
          return step.do === "run" ? { ...step, more: false } : step;
        },
      });
      return {
        ...lanes,
        wake(sessionKey, row) {
          if (lanes.running(sessionKey) === undefined) lanes.wake(sessionKey, row);
        },
      };
    });
    expect(fault).toMatch(/never came to rest|no outcome/);
  });

  it("a stop that waits behind what it should stop", { timeout: 240_000 }, async () => {
    const fault = await faultOf((deps, create) => ({ ...create(deps), stop() {} }));
    expect(fault).toMatch(/not heard within its second/);
  });

  it("a restart that answers a batch without the messages that it had", { timeout: 240_000 }, async () => {
    const fault = await faultOf((deps, create) =>
      create({
        ...deps,
        async look(sessionKey, previous) {
          const step = await deps.look(sessionKey, previous);
          return step.do === "run" && step.rows.some(({ turn }) => turn !== null) ? { ...step, rows: [step.rows[0]], more: true } : step;
        },
      }),
    );
    expect(fault).toBeDefined();
  });
});
