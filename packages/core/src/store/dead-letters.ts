import type { StoreTx } from "@trunkline/plugin-sdk";
import { refreshDelivery } from "./delivery-state.ts";
import { sql } from "./kysely.ts";
import { type OutboxRow, PART_COLUMNS } from "./outbox.ts";
import { statement } from "./statement.ts";

// Literally the condition of the partial index outbox_dead.
const isDeadLetter = sql<boolean>`state = 'dead' and dead_at is not null`;

interface BuryArgs {
  readonly id: string;
  readonly turn: string | null;
  readonly attempts: number;
  readonly errorJson: string | null;
  /** Ms UTC. */
  readonly deadAt: number;
}

const bury = statement<Pick<BuryArgs, "id" | "attempts" | "errorJson" | "deadAt">>()((db, p) =>
  db.updateTable("outbox").set({ state: "dead", attempts: p.attempts, error_json: p.errorJson, dead_at: p.deadAt }).where("id", "=", p.id),
);

/** Puts a part aside as a dead letter, and says so in the delivery of its message. Two statements. */
export async function buryPart(tx: StoreTx, args: BuryArgs): Promise<void> {
  await bury.all(tx, args);
  await refreshDelivery(tx, args.turn);
}

const newest = statement<{ limit: number }>()((db, p) =>
  db.selectFrom("outbox").select(PART_COLUMNS).where(isDeadLetter).orderBy("dead_at", "desc").orderBy("id", "desc").limit(p.limit),
);

/** The dead letters, newest first. */
export async function deadLetters(tx: StoreTx, limit: number): Promise<OutboxRow[]> {
  return [...(await newest.all(tx, { limit }))];
}

const count = statement<object>()((db) =>
  db
    .selectFrom("outbox")
    .select(sql<number>`count(*)`.as("n"))
    .where(isDeadLetter),
);

/** How many dead letters wait for the operator. */
export async function deadLetterCount(tx: StoreTx): Promise<number> {
  return (await count.first(tx, {}))?.n ?? 0;
}

const revive = statement<{ id: string; now: number }>()((db, p) =>
  db
    .updateTable("outbox")
    .set({ state: "pending", attempts: 0, interrupts: 0, next_at: 0, created_at: p.now, dead_at: null })
    .where("id", "=", p.id)
    .where(isDeadLetter)
    .returning(PART_COLUMNS),
);

/**
 * Puts a dead letter back in line under its key and id, with a fresh count of attempts and a new day to arrive. Undefined when it is no
 * dead letter (any more). Two statements.
 */
export async function retryDeadLetter(tx: StoreTx, args: { id: string; now: number }): Promise<OutboxRow | undefined> {
  const row = await revive.first(tx, args);
  if (row) await refreshDelivery(tx, row.turn);
  return row;
}

const drop = statement<{ id: string }>()((db, p) =>
  db.updateTable("outbox").set({ dead_at: null }).where("id", "=", p.id).where(isDeadLetter).returning(PART_COLUMNS),
);

/** Takes a dead letter off the list. It stays dead: what it was part of was never delivered whole. One statement. */
export async function dropDeadLetter(tx: StoreTx, id: string): Promise<OutboxRow | undefined> {
  return drop.first(tx, { id });
}

const prune = statement<{ before: number; limit: number }>()((db, p) =>
  db
    .deleteFrom("outbox")
    .where("id", "in", (inner) =>
      inner.selectFrom("outbox").select("id").where(isDeadLetter).where("dead_at", "<", p.before).orderBy("dead_at").limit(p.limit),
    )
    .returning("id"),
);

/** Deletes dead letters that have waited since before a time, the oldest first; gives their number. One statement. */
export async function pruneDeadLetters(tx: StoreTx, args: { before: number; limit: number }): Promise<number> {
  return (await prune.all(tx, args)).length;
}
