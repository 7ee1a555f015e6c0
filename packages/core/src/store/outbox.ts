import type { StoreTx } from "@trunkline/plugin-sdk";
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
  /** Earliest next attempt, ms. */
  readonly nextAt: number;
  readonly receiptJson: string | null;
  readonly errorJson: string | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
}

/** What a new part says of itself; the rest the store decides. */
export type NewPart = Omit<OutboxRow, "state" | "attempts" | "nextAt" | "receiptJson" | "errorJson" | "sentAt">;

const COLUMNS = [
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
  "next_at as nextAt",
  "created_at as createdAt",
  "sent_at as sentAt",
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
      next_at: 0,
      created_at: p.createdAt,
      sent_at: null,
      receipt_json: null,
      error_json: null,
    })
    // An update that changes nothing, because only a written row is returned.
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ key: sql<string>`outbox.key` }))
    .returning(["id", "state"]),
);

/**
 * Enqueues parts in order and gives those that are new, as the store now holds them. A part whose key was there already belongs to
 * an earlier run, and has its own way. One statement each.
 */
export async function insertParts(tx: StoreTx, rows: readonly NewPart[]): Promise<readonly OutboxRow[]> {
  const stored: OutboxRow[] = [];
  for (const row of rows) {
    const { id, state } = (await insert.first(tx, row))!;
    if (id === row.id) stored.push({ ...row, state, attempts: 0, nextAt: 0, receiptJson: null, errorJson: null, sentAt: null });
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
  db.updateTable("outbox").set({ state: p.state, attempts: p.attempts, next_at: p.nextAt, error_json: p.errorJson }).where("id", "=", p.id),
);

/** What an attempt that gave no receipt came to. One statement. */
export async function recordAttempt(tx: StoreTx, args: AttemptArgs): Promise<void> {
  await attempt.all(tx, args);
}

const body = statement<{ id: string; bodyJson: string }>()((db, p) =>
  db.updateTable("outbox").set({ body_json: p.bodyJson }).where("id", "=", p.id),
);

/** For a part that the platform refused and that is sent in another form (plain, split, re-routed). One statement. */
export async function replaceBody(tx: StoreTx, args: { id: string; bodyJson: string }): Promise<void> {
  await body.all(tx, args);
}

const openOfConversation = statement<{ conv: string; limit: number }>()((db, p) =>
  db.selectFrom("outbox").select(COLUMNS).where(isOpen).where("conv", "=", p.conv).orderBy("id").limit(p.limit),
);

/** Parts of a conversation that are pending, sending or ambiguous, in sending order. */
export async function openPartsOfConversation(tx: StoreTx, args: { conv: string; limit: number }): Promise<OutboxRow[]> {
  return [...(await openOfConversation.all(tx, args))];
}

const openConversations = statement<object>()((db) => db.selectFrom("outbox").select("conv").distinct().where(isOpen).orderBy("conv"));

/** The conversations that have parts to send. */
export async function openPartConversations(tx: StoreTx): Promise<string[]> {
  return (await openConversations.all(tx, {})).map((row) => row.conv);
}

const interrupted = statement<object>()((db) =>
  db.updateTable("outbox").set({ state: "ambiguous" }).where(isOpen).where("state", "=", "sending").returning("id"),
);

/** At start: what was being sent when the last gateway ended has an unknown outcome. Gives the number of such parts. */
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

const byId = statement<{ id: string }>()((db, p) => db.selectFrom("outbox").select(COLUMNS).where("id", "=", p.id));

/** One part, whatever its state. */
export function findPart(tx: StoreTx, id: string): Promise<OutboxRow | undefined> {
  return byId.first(tx, { id });
}

const byKey = statement<{ key: string }>()((db, p) => db.selectFrom("outbox").select(COLUMNS).where("key", "=", p.key));

/** The part that has a key, whatever its state. */
export function findPartByKey(tx: StoreTx, key: string): Promise<OutboxRow | undefined> {
  return byKey.first(tx, { key });
}

const ofTurn = statement<{ turn: string }>()((db, p) => db.selectFrom("outbox").select(COLUMNS).where("turn", "=", p.turn).orderBy("id"));

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

const lastOfTurn = statement<{ turn: string }>()((db, p) =>
  db
    .selectFrom("outbox")
    .select(sql<number>`coalesce(max(part), -1)`.as("part"))
    .where("turn", "=", p.turn)
    .where("kind", "=", "reply"),
);

/** Parts of the turn's reply that are in the outbox, whatever became of them: the next one has this number. */
export async function replyPartCount(tx: StoreTx, turn: string): Promise<number> {
  return ((await lastOfTurn.first(tx, { turn }))?.part ?? -1) + 1;
}
