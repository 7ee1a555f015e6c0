import { silentLogger } from "@trunkline/plugin-sdk";
import { createGate, createVirtualClock, type Gate } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { turnOfLoop, until } from "../fake-wait.ts";
import type { InboxRow } from "../store/inbox.ts";
import { abortReasonOf } from "./abort.ts";
import { createLanes, type LaneDeps, type LaneTurn } from "./lanes.ts";
import type { LaneStep } from "./plan.ts";

/** The oldest, and whether there is more. */
function oneByOne([row, another]: readonly InboxRow[]): LaneStep {
  if (row === undefined) return { do: "rest" };
  return { do: "run", rows: [row], overflow: [], superseded: false, more: another !== undefined };
}

/** Lanes over a table in memory. `run` finishes a row unless the test replaces it. */
function setUp(over: Partial<LaneDeps> & { readonly run?: (turn: LaneTurn) => Promise<void> } = {}) {
  const clock = createVirtualClock();
  const open: InboxRow[] = [];
  const log: string[] = [];
  const gates = new Map<string, Gate>();
  const finish = (row: InboxRow): void => void open.splice(open.indexOf(row), 1);
  const run = async (turn: LaneTurn): Promise<void> => {
    const { row, signal, stopped } = turn;
    log.push(`start ${row.id}`);
    const gate = gates.get(row.id);
    if (gate) await Promise.race([gate.pass(), new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))]);
    const reason = abortReasonOf(signal);
    if (reason === "shutdown") throw signal.reason;
    finish(row);
    log.push(`end ${row.id}${reason === undefined ? "" : ` ${reason}`}${stopped > 0 ? ` stopped ${stopped}` : ""}`);
  };
  const lanes = createLanes({
    look: async (sessionKey) => oneByOne(open.filter((row) => row.sessionKey === sessionKey)),
    abandon: async (row, reason) => {
      finish(row);
      log.push(`abandon ${row.id}${reason === "user" ? "" : ` ${reason}`}`);
    },
    maxConcurrentTurns: 64,
    turnTimeoutMs: 600_000,
    clock,
    logger: silentLogger,
    run,
    ...over,
  });
  const accept = (session: string, id: string, wake = true): InboxRow => {
    const row = { id, sessionKey: session } as InboxRow;
    open.push(row);
    if (wake) lanes.wake(session, row);
    return row;
  };
  const held = (id: string): Gate => {
    const gate = createGate();
    gates.set(id, gate);
    return gate;
  };
  return { lanes, clock, open, log, accept, held, finish, run };
}

describe("lanes", () => {
  it("runs one turn at a time in a session, in order, and sessions side by side", async () => {
    const { lanes, log, accept, held } = setUp();
    const gate = held("in_1");
    for (const id of ["in_1", "in_2", "in_3"]) accept("a", id);
    accept("b", "in_4");
    await gate.reached;
    await until(() => log.includes("end in_4"), "the other session ran");
    expect(log).not.toContain("start in_2");
    expect(lanes.running("a")?.id).toBe("in_1");
    gate.open();
    await lanes.idle();
    expect(log.filter((line) => !line.endsWith("4"))).toEqual([
      "start in_1",
      "end in_1",
      "start in_2",
      "end in_2",
      "start in_3",
      "end in_3",
    ]);
    expect(lanes.running("a")).toBeUndefined();
  });

  it("strands no message whose wake comes at any moment of the release", async () => {
    for (let hops = 0; hops < 30; hops += 1) {
      const { lanes, log, accept, finish } = setUp({
        run: async ({ row }) => {
          finish(row);
          log.push(`end ${row.id}`);
          if (row.id !== "in_1") return;
          void (async () => {
            for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
            accept("a", "in_2");
          })();
        },
      });
      accept("a", "in_1");
      await lanes.idle();
      await turnOfLoop();
      await lanes.idle();
      expect(log, `${hops} hops`).toEqual(["end in_1", "end in_2"]);
    }
  });

  it("looks into the table for what a wake without a row tells of", async () => {
    const { lanes, log, accept } = setUp();
    accept("a", "in_1", false);
    accept("a", "in_2", false);
    lanes.wake("a");
    await lanes.idle();
    expect(log.filter((line) => line.startsWith("end"))).toEqual(["end in_1", "end in_2"]);
  });

  it("keeps to the limit of turns that run at once", async () => {
    const { lanes, log, accept, held } = setUp({ maxConcurrentTurns: 2 });
    const gates = ["in_1", "in_2"].map(held);
    for (const n of [1, 2, 3]) accept(`s${n}`, `in_${n}`);
    await Promise.all(gates.map((gate) => gate.reached));
    await turnOfLoop();
    expect(log).toEqual(["start in_1", "start in_2"]);
    gates[1]!.open();
    await until(() => log.includes("end in_3"), "the third ran");
    gates[0]!.open();
    await lanes.idle();
  });

  it("ends a turn that takes too long", async () => {
    const { lanes, clock, log, accept, held } = setUp();
    const gate = held("in_1");
    accept("a", "in_1");
    await gate.reached;
    await clock.advance(599_999);
    expect(log).toEqual(["start in_1"]);
    await clock.advance(1);
    await lanes.idle();
    expect(log.at(-1)).toBe("end in_1 timeout");
    expect(clock.pending()).toEqual([]);
  });

  it("tries a message again when the store failed, and lets no later one overtake it", async () => {
    let failures = 2;
    const { lanes, clock, log, accept, finish } = setUp({
      run: async ({ row }) => {
        log.push(`try ${row.id}`);
        if (failures > 0) {
          failures -= 1;
          throw new Error("disk full");
        }
        finish(row);
        log.push(`end ${row.id}`);
      },
    });
    accept("a", "in_1");
    accept("a", "in_2");
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await lanes.idle();
    expect(log).toEqual(["try in_1", "try in_1", "try in_1", "end in_1", "try in_2", "end in_2"]);
  });

  it("goes on when the table could not be read", async () => {
    let failures = 1;
    const { lanes, clock, log, accept, open } = setUp({
      look: async () => {
        if (failures > 0) {
          failures -= 1;
          throw new Error("busy");
        }
        return oneByOne(open);
      },
    });
    accept("a", "in_1", false);
    lanes.wake("a");
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await lanes.idle();
    expect(log).toContain("end in_1");
  });
});

describe("stopping a lane", () => {
  it("aborts the running turn, ends what waits before the stop, and tells their number", async () => {
    const { lanes, log, accept, held } = setUp();
    const gate = held("in_1");
    for (const id of ["in_1", "in_2", "in_3"]) accept("a", id);
    await gate.reached;
    lanes.stop("a", "in_4");
    accept("a", "in_4");
    accept("a", "in_5");
    await lanes.idle();
    expect(log).toEqual([
      "start in_1",
      "end in_1 user",
      "abandon in_2",
      "abandon in_3",
      "start in_4",
      "end in_4 stopped 3",
      "start in_5",
      "end in_5",
    ]);
  });

  it("reaches a turn that began in the same tick", async () => {
    const { lanes, log, accept, held } = setUp();
    held("in_1");
    accept("a", "in_1");
    lanes.stop("a", "in_2");
    accept("a", "in_2");
    await lanes.idle();
    expect(log.at(-1)).toBe("end in_2 stopped 1");
    expect(log).not.toContain("end in_1");
  });

  it("tells of nothing when nothing ran", async () => {
    const { lanes, log, accept } = setUp();
    lanes.stop("a", "in_1");
    accept("a", "in_1");
    await lanes.idle();
    expect(log).toEqual(["start in_1", "end in_1"]);
  });

  it("ends a message that still waits for its place among the running turns", async () => {
    const { lanes, log, accept, held } = setUp({ maxConcurrentTurns: 1 });
    const gate = held("in_1");
    accept("busy", "in_1");
    await gate.reached;
    accept("a", "in_2");
    await turnOfLoop();
    lanes.stop("a", "in_3");
    accept("a", "in_3");
    // Whoever stops waits for nobody's place.
    await until(() => log.includes("end in_3 stopped 1"), "the stop was answered");
    gate.open();
    await lanes.idle();
    expect(log).toEqual(["start in_1", "abandon in_2", "start in_3", "end in_3 stopped 1", "end in_1"]);
  });

  it("leaves other sessions alone", async () => {
    const { lanes, log, accept, held } = setUp();
    const gate = held("in_1");
    accept("a", "in_1");
    await gate.reached;
    lanes.stop("b", "in_2");
    accept("b", "in_2");
    await until(() => log.includes("end in_2"), "the other session ran");
    gate.open();
    await lanes.idle();
    expect(log).toContain("end in_1");
  });

  it("still knows what it stopped when the answer to the stop has to be tried again", async () => {
    const tried: number[] = [];
    const { lanes, clock, accept, held, run } = setUp({
      run: async (turn) => {
        if (turn.row.id !== "in_2") return run(turn);
        tried.push(turn.stopped);
        if (tried.length === 1) throw new Error("disk full");
        return run(turn);
      },
    });
    const gate = held("in_1");
    accept("a", "in_1");
    await gate.reached;
    lanes.stop("a", "in_2");
    accept("a", "in_2");
    await clock.waiting((ms) => ms === 1000);
    await clock.advance(1000);
    await lanes.idle();
    expect(tried).toEqual([1, 1]);
  });
});

describe("a lane that waits for more", () => {
  const waiting = () => {
    let ripe = false;
    const rig = setUp({
      look: async () => {
        const [row] = rig.open;
        return row === undefined || ripe ? oneByOne(rig.open) : { do: "wait", row, ms: 500 };
      },
    });
    return { ...rig, ripen: () => (ripe = true) };
  };

  it("looks again when the time is over", async () => {
    const { lanes, clock, log, accept, ripen } = waiting();
    accept("a", "in_1", false);
    lanes.wake("a");
    await clock.waiting((ms) => ms === 500);
    expect(lanes.running("a")?.id).toBe("in_1");
    expect(lanes.answering("a")).toEqual([]);
    ripen();
    await clock.advance(500);
    await lanes.idle();
    expect(log).toEqual(["start in_1", "end in_1"]);
  });

  it("looks again as soon as something comes", async () => {
    const { lanes, clock, log, accept, ripen } = waiting();
    accept("a", "in_1", false);
    lanes.wake("a");
    await clock.waiting((ms) => ms === 500);
    ripen();
    accept("a", "in_2");
    await lanes.idle();
    expect(log).toEqual(["start in_1", "end in_1", "start in_2", "end in_2"]);
  });

  it("ends what waits when somebody says stop, without waiting any longer", async () => {
    const { lanes, clock, log, accept, ripen } = waiting();
    accept("a", "in_1", false);
    lanes.wake("a");
    await clock.waiting((ms) => ms === 500);
    lanes.stop("a", "in_2");
    ripen();
    accept("a", "in_2");
    await lanes.idle();
    expect(log).toEqual(["abandon in_1", "start in_2", "end in_2 stopped 1"]);
    expect(clock.pending()).toEqual([]);
  });

  it("leaves it open when the lanes close", async () => {
    const { lanes, clock, log, open, accept } = waiting();
    accept("a", "in_1", false);
    lanes.wake("a");
    await clock.waiting((ms) => ms === 500);
    await lanes.close();
    expect([log, open.length, clock.pending()]).toEqual([[], 1, []]);
  });
});

describe("a message that takes the place of another", () => {
  it("aborts the running turn, and runs then", async () => {
    const { lanes, log, accept, held } = setUp();
    const gate = held("in_1");
    accept("a", "in_1");
    await gate.reached;
    lanes.supersede("a", "in_2");
    accept("a", "in_2");
    await lanes.idle();
    expect(log).toEqual(["start in_1", "end in_1 superseded", "start in_2", "end in_2"]);
  });

  it("ends one that a crash had cut short, without starting it again", async () => {
    const rig = setUp({
      look: async () => {
        const step = oneByOne(rig.open);
        return step.do === "run" && step.more ? { ...step, superseded: true } : step;
      },
    });
    for (const id of ["in_1", "in_2"]) rig.accept("a", id, false);
    rig.lanes.wake("a");
    await rig.lanes.idle();
    expect(rig.log).toEqual(["abandon in_1 superseded", "start in_2", "end in_2"]);
  });
});

describe("closing the lanes", () => {
  it("parks the running turns, starts no other, and leaves all of them open", async () => {
    const { lanes, log, open, accept, held } = setUp({ maxConcurrentTurns: 1 });
    const gate = held("in_1");
    accept("a", "in_1");
    accept("a", "in_2");
    accept("b", "in_3");
    await gate.reached;
    await lanes.close();
    lanes.wake("c", accept("c", "in_4", false));
    await turnOfLoop();
    expect(log).toEqual(["start in_1"]);
    expect(open.map((row) => row.id)).toEqual(["in_1", "in_2", "in_3", "in_4"]);
  });

  it("does not wait for a lane that is pausing, nor start one that is being read", async () => {
    const { lanes, clock, log, accept } = setUp({
      run: () => Promise.reject(new Error("disk full")),
    });
    accept("a", "in_1");
    await clock.waiting((ms) => ms === 1000);
    accept("b", "in_2", false);
    lanes.wake("b");
    await lanes.close();
    expect(log).toEqual([]);
  });
});
