import type { StoreTx } from "@trunkline/plugin-sdk";
import { statement } from "./statement.ts";

/**
 * One record in the journal of a turn: a model call, a tool call, or a block that people got before the turn was over. An `intended`
 * tool step without a result has an unknown outcome.
 */
export interface StepRow {
  readonly turn: string;
  /** Place in the turn, from 0. */
  readonly n: number;
  readonly kind: "model" | "tool" | "block" | "heard";
  readonly state: "intended" | "done";
  /** Of what was asked, so that a replay notices that it would ask something else. */
  readonly requestHash: string;
  readonly resultJson: string | null;
  readonly usageJson: string | null;
}

const save = statement<StepRow>()((db, p) =>
  db
    .insertInto("steps")
    .values({
      turn: p.turn,
      n: p.n,
      kind: p.kind,
      state: p.state,
      request_hash: p.requestHash,
      result_json: p.resultJson,
      usage_json: p.usageJson,
    })
    .onConflict((conflict) =>
      conflict.columns(["turn", "n"]).doUpdateSet((eb) => ({
        kind: eb.ref("excluded.kind"),
        state: eb.ref("excluded.state"),
        request_hash: eb.ref("excluded.request_hash"),
        result_json: eb.ref("excluded.result_json"),
        usage_json: eb.ref("excluded.usage_json"),
      })),
    ),
);

/** Stores the step, over an earlier record of the same place. One statement. */
export async function saveStep(tx: StoreTx, args: StepRow): Promise<void> {
  await save.all(tx, args);
}

const ofTurn = statement<{ turn: string }>()((db, p) =>
  db
    .selectFrom("steps")
    .select(["turn", "n", "kind", "state", "request_hash as requestHash", "result_json as resultJson", "usage_json as usageJson"])
    .where("turn", "=", p.turn)
    .orderBy("n"),
);

/** The journal of a turn, in order. */
export async function stepsOfTurn(tx: StoreTx, turn: string): Promise<StepRow[]> {
  return [...(await ofTurn.all(tx, { turn }))];
}

const erase = statement<{ turn: string }>()((db, p) => db.deleteFrom("steps").where("turn", "=", p.turn));

/** Forgets the journal of a turn that is over: its words are in the transcript. One statement. */
export async function eraseSteps(tx: StoreTx, turn: string): Promise<void> {
  await erase.all(tx, { turn });
}
