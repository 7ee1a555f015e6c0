import { describe, expect, it } from "vitest";
import { fakeMessage, NEW_YEAR } from "../fake-message.ts";
import type { InboxRow } from "../store/inbox.ts";
import { type LaneStep, planLane, type PlanInput, type Waiting } from "./plan.ts";

interface Said extends Partial<Omit<Waiting, "row" | "message">> {
  readonly from?: string;
  readonly room?: string;
  /** Ms before now. */
  readonly ago?: number;
  readonly turn?: string;
  readonly media?: boolean;
}

function waiting(...said: readonly Said[]): readonly Waiting[] {
  return said.map(({ from = "ann", room = "ann", ago = 5000, turn, media, ...over }, index) => ({
    row: { id: `in_${index + 1}`, receivedAt: NEW_YEAR - ago, turn: turn ?? null } as InboxRow,
    message: fakeMessage({
      conversation: { channel: "fake", account: "main", kind: "group", id: room },
      sender: { id: from, isBot: false, isSelf: false },
      media: media === true ? [{ kind: "image", url: "x" }] : [],
    }),
    own: false,
    goesOn: false,
    piecesMs: 0,
    debounceMs: 0,
    ...over,
  }));
}

function plan(
  said: readonly Said[],
  over: Partial<Omit<PlanInput, "waiting" | "settings">> & { settings?: Partial<PlanInput["settings"]> } = {},
) {
  const { settings, ...rest } = over;
  const step = planLane({
    waiting: waiting(...said),
    begun: false,
    afterTalk: false,
    now: NEW_YEAR,
    ...rest,
    settings: { mode: "collect", debounceMs: 1000, cap: 20, drop: "summarize", path: undefined, capPath: undefined, ...settings },
  });
  return short(step);
}

function short(step: LaneStep): string {
  if (step.do === "rest") return "rest";
  if (step.do === "wait") return `wait ${step.ms}`;
  const ids = (rows: readonly InboxRow[]): string => rows.map(({ id }) => id.slice(3)).join(" ");
  const left = step.overflow.length > 0 ? `, left out ${ids(step.overflow)}` : "";
  return `run ${ids(step.rows)}${left}${step.superseded ? ", superseded" : ""}${step.more ? ", more" : ""}`;
}

describe("what a lane does next", () => {
  it("is nothing when nothing waits", () => {
    expect(plan([])).toBe("rest");
  });

  it("is one turn on all that waits, in order, when it collects", () => {
    expect(plan([{}, { from: "bob" }, {}])).toBe("run 1 2 3");
  });

  it.each(["followup", "drop-new"] as const)("is one after the other in mode %s", (mode) => {
    expect(plan([{}, {}, {}], { settings: { mode } })).toBe("run 1, more");
  });

  it.each(["steer", "interrupt"] as const)("is one turn on all that waits in mode %s as well", (mode) => {
    expect(plan([{}, {}], { settings: { mode } })).toBe("run 1 2");
  });

  it("keeps a command by itself, in its place", () => {
    expect(plan([{ own: true }, {}])).toBe("run 1, more");
    expect(plan([{}, {}, { own: true }, {}])).toBe("run 1 2, more");
  });

  it("answers only one conversation at a time", () => {
    expect(plan([{}, { room: "other" }, {}])).toBe("run 1, more");
  });
});

describe("silence", () => {
  it("is waited for when the agent has just answered, from the newest message on", () => {
    expect(plan([{ ago: 3000 }, { ago: 400 }], { afterTalk: true })).toBe("wait 600");
    expect(plan([{ ago: 400 }], { afterTalk: true })).toBe("wait 600");
    expect(plan([{ ago: 1000 }], { afterTalk: true })).toBe("run 1");
  });

  it("is not waited for behind a file or a command, nor where one answers after the other", () => {
    expect(plan([{ ago: 0, media: true }], { afterTalk: true })).toBe("run 1");
    expect(plan([{ ago: 0 }, { own: true }], { afterTalk: true })).toBe("run 1, more");
    expect(plan([{ ago: 0 }], { afterTalk: true, settings: { mode: "followup" } })).toBe("run 1");
    expect(plan([{ ago: 0 }, { ago: 0 }], { afterTalk: true, settings: { mode: "interrupt" } })).toBe("run 1 2");
  });

  it("is waited for behind every text where the account says so, and what one person says in it is one turn in every mode", () => {
    const said = [
      { debounceMs: 2000, ago: 2500 },
      { debounceMs: 2000, ago: 1500 },
    ];
    expect(plan(said, { settings: { mode: "followup" } })).toBe("wait 500");
    expect(plan(said, { settings: { mode: "followup" }, now: NEW_YEAR + 500 })).toBe("run 1 2");
    expect(plan([...said, { from: "bob" }], { settings: { mode: "followup" } })).toBe("run 1 2, more");
  });

  it("does not go on for ever when somebody never stops typing", () => {
    const said = Array.from({ length: 12 }, (_, index) => ({ debounceMs: 1000, ago: 5500 - index * 500 }));
    expect(plan(said, { settings: { mode: "followup" } })).toBe("run 1 2 3 4 5 6 7 8 9 10 11 12");
  });

  it("is never longer than was asked for, whatever the clock says", () => {
    expect(plan([{ ago: -3_600_000, debounceMs: 700 }])).toBe("wait 700");
  });
});

describe("pieces of one message", () => {
  it("are waited for, and answered together in every mode", () => {
    const said = [
      { piecesMs: 1500, ago: 900 },
      { goesOn: true, piecesMs: 1500, ago: 800 },
    ];
    expect(plan(said, { settings: { mode: "followup" } })).toBe("wait 700");
    expect(plan([...said, { goesOn: true, ago: 700 }], { settings: { mode: "followup" } })).toBe("run 1 2 3");
  });

  it("are not waited for once something else came", () => {
    expect(plan([{ piecesMs: 1500, ago: 0 }, {}], { settings: { mode: "followup" } })).toBe("run 1, more");
  });
});

describe("an overflow", () => {
  const five = [{}, {}, {}, {}, {}];

  it.each([
    ["summarize", "run 3 4 5, left out 1 2"],
    ["old", "run 3 4 5, left out 1 2"],
    ["new", "run 1 2 3, left out 4 5"],
  ] as const)("with %s leaves out the right ones", (drop, expected) => {
    expect(plan(five, { settings: { cap: 3, drop } })).toBe(expected);
  });

  it("never leaves out a command, nor all that was said before it", () => {
    expect(plan([{}, {}, { own: true }, {}], { settings: { cap: 1, drop: "old" } })).toBe("run 2, left out 1, more");
  });
});

describe("a turn that was begun before", () => {
  const said = [{}, { turn: "tn_1" }, {}];

  it("goes on with the very same messages", () => {
    expect(plan(said, { begun: true, settings: { mode: "followup" } })).toBe("run 1 2, more");
    expect(plan(said, { begun: true })).toBe("run 1 2, more");
  });

  it("leaves nothing out", () => {
    expect(plan([...said, {}, {}], { begun: true, settings: { cap: 1 } })).toBe("run 1 2, more");
  });

  it("gives way to what came behind it where that interrupts, and not to a command", () => {
    const settings = { mode: "interrupt" } as const;
    expect(plan(said, { begun: true, settings })).toBe("run 1 2, superseded, more");
    expect(plan([{}, { own: true }], { begun: true, settings })).toBe("run 1, more");
    expect(plan([{ own: true }, {}], { begun: true, settings })).toBe("run 1, more");
  });
});
