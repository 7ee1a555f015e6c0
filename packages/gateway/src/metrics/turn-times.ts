import type { ModelCall } from "@trunkline/core";
import type { Clock, Hooks } from "@trunkline/plugin-sdk";
import { Counter, Histogram, type Registry } from "prom-client";

/** Turns that are followed at once; of more, the oldest are no longer measured. */
const FOLLOWED = 10_000;

/** Upper bounds, s: from an answer of a command to a long one with tools. */
const TURN_SECONDS = [0.05, 0.25, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];
/** Upper bounds, s: nothing is ahead, or an answer is, or many are, or the gateway was down. */
const WAIT_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];
/** Upper bounds, s: the gateway's own work is some milliseconds, the rest is the platform and the disk. */
const OVERHEAD_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** A turn that runs, or whose answer is not delivered yet. */
interface Followed {
  /** ms UTC. */
  readonly receivedAt: number;
  /** On the monotonic clock, ms. */
  readonly began: number;
  modelMs: number;
  /** The person has seen something of the answer. */
  seen: boolean;
  /** Something of it was delivered. */
  delivered: boolean;
  ended: boolean;
}

/** Times of turns, from what the hooks tell. */
export interface TurnTimes {
  watch(hooks: Hooks): void;
  /** A model call of a turn is over. */
  modelCall(call: ModelCall): void;
}

/** Creates the times: how long messages wait, turns take, people see nothing, and what of it is the gateway's own. */
export function createTurnTimes(registry: Registry, clock: Clock): TurnTimes {
  const figures = createFigures(registry);
  const turns = new Map<string, Followed>();

  const see = (turn: Followed): void => {
    if (!turn.seen) figures.visible.observe(seconds(clock.now() - turn.receivedAt));
    turn.seen = true;
  };
  const deliver = (turn: Followed): void => {
    see(turn);
    if (!turn.delivered) figures.overhead.observe(seconds(clock.monotonic() - turn.began - turn.modelMs));
    turn.delivered = true;
  };
  /** A turn is followed until it has ended and the first part of its answer is settled, in whatever order. */
  const settle = (id: string, then: (turn: Followed) => void): void => {
    const turn = turns.get(id);
    if (turn === undefined) return;
    then(turn);
    if (turn.ended) turns.delete(id);
  };

  return {
    watch(hooks) {
      hooks.observe("turn:started", ({ turn, receivedAt }) => {
        keep(turns, turn, { receivedAt, began: clock.monotonic(), modelMs: 0, seen: false, delivered: false, ended: false });
        figures.wait.observe(seconds(clock.now() - receivedAt));
      });
      hooks.observe("turn:visible", ({ turn }) => settle(turn, see));
      hooks.observe("turn:ended", ({ turn, disposition, parts }) => {
        figures.turns.inc({ disposition });
        const followed = turns.get(turn);
        if (followed === undefined) return;
        figures.took.observe({ disposition }, seconds(clock.monotonic() - followed.began));
        followed.ended = true;
        if (parts === 0 || followed.delivered) turns.delete(turn);
      });
      hooks.observe("delivery:sent", ({ turn }) => settle(turn ?? "", deliver));
      hooks.observe("delivery:dead", ({ turn }) => settle(turn ?? "", () => {}));
    },
    modelCall({ turn, ms }) {
      const followed = turns.get(turn);
      if (followed !== undefined) followed.modelMs += ms;
    },
  };
}

function createFigures(registry: Registry) {
  const registers = [registry];
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  return {
    turns: new Counter({
      name: "trunkline_turns_total",
      help: "Turns that ended since the start, by outcome.",
      labelNames: ["disposition"],
      registers,
    }),
    took: histogram("trunkline_turn_seconds", "From the start of a turn until its outcome was stored.", TURN_SECONDS, ["disposition"]),
    wait: histogram("trunkline_queue_wait_seconds", "From the acceptance of a message to the start of its turn.", WAIT_SECONDS),
    visible: histogram(
      "trunkline_first_visible_seconds",
      "From the acceptance of a message until the person saw the first words of the answer.",
      TURN_SECONDS,
    ),
    overhead: histogram(
      "trunkline_gateway_overhead_seconds",
      "From the start of a turn until the first part of its answer was delivered, less the time in model calls.",
      OVERHEAD_SECONDS,
    ),
  };
}

function keep(turns: Map<string, Followed>, id: string, turn: Followed): void {
  turns.delete(id);
  turns.set(id, turn);
  const [oldest] = turns.keys();
  if (turns.size > FOLLOWED && oldest !== undefined) turns.delete(oldest);
}

/** Clocks may be set back; a histogram of times takes nothing below 0. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1000;
}
