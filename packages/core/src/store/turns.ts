import type { StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import type { TurnState } from "./schema.ts";
import { statement } from "./statement.ts";

/** One run of an agent over one or more inbound messages. */
export interface TurnRow {
  /** `tn_` + ULID. */
  readonly id: string;
  readonly sessionKey: string;
  readonly state: TurnState;
  /** Starts so far; more than one means that the turn was resumed. */
  readonly attempts: number;
  readonly owner: string;
  /** Fencing epoch of the owner's lease; 0 with one gateway. */
  readonly epoch: number;
  readonly inboxIdsJson: string;
  readonly model: string | null;
  readonly configRev: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

interface StartArgs {
  readonly id: string;
  readonly sessionKey: string;
  readonly owner: string;
  readonly inboxIdsJson: string;
  readonly configRev: number;
  readonly startedAt: number;
}

const start = statement<StartArgs>()((db, p) =>
  db
    .insertInto("turns")
    .values({
      id: p.id,
      session_key: p.sessionKey,
      state: "running",
      attempts: 1,
      owner: p.owner,
      epoch: 0,
      inbox_ids: p.inboxIdsJson,
      model: null,
      config_rev: p.configRev,
      started_at: p.startedAt,
      ended_at: null,
    })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        state: "running",
        attempts: sql<number>`turns.attempts + 1`,
        owner: (eb) => eb.ref("excluded.owner"),
        inbox_ids: (eb) => eb.ref("excluded.inbox_ids"),
        config_rev: (eb) => eb.ref("excluded.config_rev"),
        ended_at: null,
      }),
    )
    .returning("attempts"),
);

/** Records a start of the turn; the first one creates it and keeps its time. One statement. */
export async function startTurn(tx: StoreTx, args: StartArgs): Promise<{ attempts: number }> {
  return (await start.first(tx, args))!;
}

interface FinishArgs {
  readonly id: string;
  readonly state: "done" | "failed";
  readonly model: string | null;
  readonly endedAt: number;
}

const finish = statement<FinishArgs>()((db, p) =>
  db.updateTable("turns").set({ state: p.state, model: p.model, ended_at: p.endedAt }).where("id", "=", p.id),
);

/** One statement. */
export async function finishTurn(tx: StoreTx, args: FinishArgs): Promise<void> {
  await finish.all(tx, args);
}

const take = statement<{ id: string; inboxIdsJson: string }>()((db, p) =>
  db.updateTable("turns").set({ inbox_ids: p.inboxIdsJson }).where("id", "=", p.id),
);

/** Names the messages that a running turn answers, now that there are more. One statement. */
export async function nameInbound(tx: StoreTx, args: { id: string; inboxIdsJson: string }): Promise<void> {
  await take.all(tx, args);
}

const byId = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom("turns")
    .select([
      "id",
      "session_key as sessionKey",
      "state",
      "attempts",
      "owner",
      "epoch",
      "inbox_ids as inboxIdsJson",
      "model",
      "config_rev as configRev",
      "started_at as startedAt",
      "ended_at as endedAt",
    ])
    .where("id", "=", p.id),
);

export function findTurn(tx: StoreTx, id: string): Promise<TurnRow | undefined> {
  return byId.first(tx, { id });
}
