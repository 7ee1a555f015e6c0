import type { ReplyKind, StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import type { PartState } from "./schema.ts";
import { statement } from "./statement.ts";

export type { PartState } from "./schema.ts";

/** One outgoing part. Its key is stable over restarts; its content never changes once a platform may have seen it. */
export interface OutboxRow {
  /** `ob_` + ULID; parts of a conversation are sent in the order of their ids. */
  readonly id: string;
  readonly conv: string;
  /** Number, in its conversation, of the inbound message that it answers. */
  readonly seq: number;
  readonly part: number;
  readonly turn: string | null;
  readonly kind: string;
  /** Unique over the outbox. */
  readonly key: string;
  readonly op: "send" | "edit" | "delete";
  readonly bodyJson: string;
  readonly state: PartState;
  readonly attempts: number;
  /** Ends of the process while the part was being sent: one that kills it must not do so for ever. */
  readonly interrupts: number;
  /** Earliest next attempt, ms. */
  readonly nextAt: number;
  readonly receiptJson: string | null;
  readonly errorJson: string | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
  /** Since when a dead part waits for the operator, ms; null otherwise, and once they dropped it. */
  readonly deadAt: number | null;
}

/** What a new part says of itself; the rest the store decides. */
export type NewPart = Omit<OutboxRow, "state" | "attempts" | "interrupts" | "nextAt" | "receiptJson" | "errorJson" | "sentAt" | "deadAt">;

/** Every column, under the names of `OutboxRow`. */
export const PART_COLUMNS = [
  "id",
  "conv",
  "seq",
  "part",
  "turn",
  "kind",
  "key",
  "op",
  "state",
  "attempts",
  "interrupts",
  "next_at as nextAt",
  "created_at as createdAt",
  "sent_at as sentAt",
  "dead_at as deadAt",
  "receipt_json as receiptJson",
  "error_json as errorJson",
  "body_json as bodyJson",
] as const;

// Literally the condition of the partial index outbox_open: only then is it used. Every query of open parts repeats it.
const isOpen = sql<boolean>`state in ('pending', 'sending', 'ambiguous')`;

const insert = statement<NewPart>()((db, p) =>
  db
    .insertInto("outbox")
    .values({
      id: p.id,
      conv: p.conv,
      seq: p.seq,
      part: p.part,
      turn: p.turn,
      kind: p.kind,
      key: p.key,
      op: p.op,
      body_json: p.bodyJson,
      state: sql<PartState>`(case when exists (select 1 from outbox as ahead where ahead.conv = ${p.conv} and ahead.state in ('pending', 'sending', 'ambiguous')) then 'pending' else 'sending' end)`,
      attempts: 0,
      interrupts: 0,
      next_at: 0,
      created_at: p.createdAt,
      sent_at: null,
      dead_at: null,
      receipt_json: null,
      error_json: null,
    })
    // An update that changes nothing, because only a written row is returned.
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ key: sql<string>`outbox.key` }))
    .returning(["id", "state"]),
);

const UNTRIED = { attempts: 0, interrupts: 0, nextAt: 0, receiptJson: null, errorJson: null, sentAt: null, deadAt: null } as const;

/**
 * Enqueues parts in order and gives those that are new, as the store now holds them. A part whose key was there already belongs to
 * an earlier run, and has its own way. One statement each.
 */
export async function insertParts(tx: StoreTx, rows: readonly NewPart[]): Promise<readonly OutboxRow[]> {
  const stored: OutboxRow[] = [];
  for (const row of rows) {
    const { id, state } = (await insert.first(tx, row))!;
    if (id === row.id) stored.push({ ...row, ...UNTRIED, state });
  }
  return stored;
}

const receipt = statement<{ id: string; receiptJson: string; sentAt: number }>()((db, p) =>
  db.updateTable("outbox").set({ state: "sent", receipt_json: p.receiptJson, sent_at: p.sentAt, error_json: null }).where("id", "=", p.id),
);

/** The platform took the part. One statement. */
export async function recordReceipt(tx: StoreTx, args: { id: string; receiptJson: string; sentAt: number }): Promise<void> {
  await receipt.all(tx, args);
}

const sending = statement<{ id: string }>()((db, p) =>
  db.updateTable("outbox").set({ state: "sending" }).where("id", "=", p.id).where("state", "=", "pending"),
);

/** From here on the platform may see the part; one that was cancelled meanwhile stays so. One statement. */
export async function markSending(tx: StoreTx, id: string): Promise<void> {
  await sending.all(tx, { id });
}

interface AttemptArgs {
  readonly id: string;
  readonly state: PartState;
  readonly attempts: number;
  readonly nextAt: number;
  readonly errorJson: string | null;
}

const attempt = statement<AttemptArgs>()((db, p) =>
  db
    .updateTable("outbox")
    .set({ state: p.state, attempts: p.attempts, next_at: p.nextAt, error_json: p.errorJson, dead_at: null })
    .where("id", "=", p.id),
);

/** What an attempt that gave no receipt came to. One statement. */
export async function recordAttempt(tx: StoreTx, args: AttemptArgs): Promise<void> {
  await attempt.all(tx, args);
}

const body = statement<{ id: string; op: OutboxRow["op"]; bodyJson: string }>()((db, p) =>
  db.updateTable("outbox").set({ op: p.op, body_json: p.bodyJson }).where("id", "=", p.id),
);

/** For a part that is surely not shown and that goes out in another form (plain, re-routed, a message instead of an edit). One statement. */
export async function replaceBody(tx: StoreTx, args: { id: string; op: OutboxRow["op"]; bodyJson: string }): Promise<void> {
  await body.all(tx, args);
}

const underWay = statement<{ conv: string; limit: number }>()((db, p) =>
  db
    .selectFrom("outbox")
    .select(PART_COLUMNS)
    .where(isOpen)
    .where("state", "<>", "pending")
    .where("conv", "=", p.conv)
    .orderBy("id")
    .limit(p.limit),
);
const waiting = statement<{ conv: string; limit: number }>()((db, p) =>
  db
    .selectFrom("outbox")
    .select(PART_COLUMNS)
    .where(isOpen)
    .where("state", "=", "pending")
    .where("conv", "=", p.conv)
    .orderBy("id")
    .limit(p.limit),
);

/**
 * Parts of a conversation that are not settled, in sending order: what a platform may have seen comes first, then what waits, by id.
 * A part that is tried again by hand has an old id, and must not overtake one whose outcome is unknown. Two statements.
 */
export async function openPartsOfConversation(tx: StoreTx, args: { conv: string; limit: number }): Promise<OutboxRow[]> {
  const first = await underWay.all(tx, args);
  return [...first, ...(await waiting.all(tx, args))].slice(0, args.limit);
}

const openConversations = statement<object>()((db) => db.selectFrom("outbox").select("conv").distinct().where(isOpen).orderBy("conv"));

/** The conversations that have parts to send. */
export async function openPartConversations(tx: StoreTx): Promise<string[]> {
  return (await openConversations.all(tx, {})).map((row) => row.conv);
}

const interrupted = statement<object>()((db) =>
  db
    .updateTable("outbox")
    .set({ state: "ambiguous", interrupts: sql<number>`interrupts + 1` })
    .where(isOpen)
    .where("state", "=", "sending")
    .returning("id"),
);

/** At start: what was being sent when the last gateway ended has an unknown outcome, and may be why it ended. Gives their number. */
export async function markInterrupted(tx: StoreTx): Promise<number> {
  return (await interrupted.all(tx, {})).length;
}

const cancel = statement<{ turn: string }>()((db, p) =>
  db.updateTable("outbox").set({ state: "cancelled" }).where("turn", "=", p.turn).where("state", "=", "pending").returning("id"),
);

/** Takes back the parts of a turn that are surely not sent; gives their number. */
export async function cancelPartsOfTurn(tx: StoreTx, turn: string): Promise<number> {
  return (await cancel.all(tx, { turn })).length;
}

const byId = statement<{ id: string }>()((db, p) => db.selectFrom("outbox").select(PART_COLUMNS).where("id", "=", p.id));

/** One part, whatever its state. */
export function findPart(tx: StoreTx, id: string): Promise<OutboxRow | undefined> {
  return byId.first(tx, { id });
}

const byKey = statement<{ key: string }>()((db, p) => db.selectFrom("outbox").select(PART_COLUMNS).where("key", "=", p.key));

/** The part that has a key, whatever its state. */
export function findPartByKey(tx: StoreTx, key: string): Promise<OutboxRow | undefined> {
  return byKey.first(tx, { key });
}

const ofTurn = statement<{ turn: string }>()((db, p) =>
  db.selectFrom("outbox").select(PART_COLUMNS).where("turn", "=", p.turn).orderBy("id"),
);

/** All parts of a turn, whatever their state, in sending order. */
export async function partsOfTurn(tx: StoreTx, turn: string): Promise<OutboxRow[]> {
  return [...(await ofTurn.all(tx, { turn }))];
}

const countOpen = statement<object>()((db) =>
  db
    .selectFrom("outbox")
    .select(sql<number>`count(*)`.as("n"))
    .where(isOpen),
);

/** Parts that are pending, sending or ambiguous, over all conversations. */
export async function openPartCount(tx: StoreTx): Promise<number> {
  return (await countOpen.first(tx, {}))?.n ?? 0;
}

// Not "order by id limit 1": without open parts that would walk the whole table.
const oldestOpen = statement<object>()((db) =>
  db
    .selectFrom("outbox")
    .select(sql<number | null>`min(created_at)`.as("createdAt"))
    .where(isOpen),
);

/** When the oldest open part was made, ms; null when there are none. */
export async function oldestOpenPart(tx: StoreTx): Promise<number | null> {
  return (await oldestOpen.first(tx, {}))?.createdAt ?? null;
}

/** Kinds of parts that are the answer, in the order of their numbers. */
const REPLY_KINDS: readonly ReplyKind[] = ["tool", "block", "final"];

const lastOfTurn = statement<{ turn: string }>()((db, p) =>
  db
    .selectFrom("outbox")
    .select(sql<number>`coalesce(max(part), -1)`.as("part"))
    .where("turn", "=", p.turn)
    .where("kind", "in", REPLY_KINDS),
);

/** Parts of the turn's reply that are in the outbox, whatever became of them: the next one has this number. */
export async function replyPartCount(tx: StoreTx, turn: string): Promise<number> {
  return ((await lastOfTurn.first(tx, { turn }))?.part ?? -1) + 1;
}
