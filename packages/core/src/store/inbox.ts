import type { Disposition, StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import { prunedCounts } from "./pruning.ts";
import type { Delivery } from "./schema.ts";
import { statement } from "./statement.ts";

/** One inbound event as it is stored at accept. JSON columns are text. */
export interface AcceptRow {
  /** `in_` + ULID. */
  readonly id: string;
  /** Text key of the conversation. */
  readonly conv: string;
  readonly channel: string;
  readonly account: string;
  readonly conversation: string;
  /** "" when none. */
  readonly thread: string;
  readonly platformId: string;
  readonly kind: string;
  /** The platform's event id of an edit or reaction; "" when none. */
  readonly version: string;
  readonly sessionKey: string | null;
  readonly state: "open" | "done";
  readonly disposition: Disposition | null;
  readonly decisionsJson: string;
  readonly configRev: number;
  /** null where nothing of the text may be kept (denied strangers). */
  readonly bodyJson: string | null;
  readonly receivedAt: number;
  readonly sentAt: number;
}

export interface AcceptResult {
  /** The id of the first row when this is a duplicate. */
  readonly id: string;
  /** Place in the conversation, from 1. Grows with every event; a duplicate leaves a gap. */
  readonly seq: number;
  readonly duplicate: boolean;
  /** How often the event came again so far. */
  readonly duplicates: number;
}

export interface InboxRow extends AcceptRow {
  readonly seq: number;
  readonly delivery: Delivery | null;
  readonly duplicates: number;
  /** The turn of an earlier message that answers this one as well. */
  readonly turn: string | null;
}

/** accepted = open + the sum of dispositions; duplicates stand beside it. */
export interface InboundCounts {
  readonly accepted: number;
  readonly open: number;
  readonly duplicates: number;
  readonly dispositions: Readonly<Record<string, number>>;
}

const COLUMNS = [
  "id",
  "conv",
  "seq",
  "channel",
  "account",
  "conversation",
  "thread",
  "platform_id as platformId",
  "kind",
  "version",
  "session_key as sessionKey",
  "state",
  "disposition",
  "delivery",
  "config_rev as configRev",
  "received_at as receivedAt",
  "sent_at as sentAt",
  "duplicates",
  "turn",
  "decisions_json as decisionsJson",
  "body_json as bodyJson",
] as const;

// On PostgreSQL the upsert locks the conversation's row until COMMIT, so that numbers are given in the order of commits.
const nextSeq = statement<AcceptRow>()((db, p) =>
  db
    .insertInto("conversations")
    .values({
      conv: p.conv,
      channel: p.channel,
      account: p.account,
      conversation: p.conversation,
      thread: p.thread,
      next_seq: 2,
    })
    .onConflict((conflict) => conflict.column("conv").doUpdateSet({ next_seq: sql<number>`conversations.next_seq + 1` }))
    .returning(sql<number>`next_seq - 1`.as("seq")),
);

const insertOrCount = statement<AcceptRow & { seq: number }>()((db, p) =>
  db
    .insertInto("inbox")
    .values({
      id: p.id,
      conv: p.conv,
      seq: p.seq,
      channel: p.channel,
      account: p.account,
      conversation: p.conversation,
      thread: p.thread,
      platform_id: p.platformId,
      kind: p.kind,
      version: p.version,
      session_key: p.sessionKey,
      state: p.state,
      disposition: p.disposition,
      delivery: null,
      config_rev: p.configRev,
      received_at: p.receivedAt,
      sent_at: p.sentAt,
      duplicates: 0,
      turn: null,
      decisions_json: p.decisionsJson,
      body_json: p.bodyJson,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["channel", "account", "conversation", "platform_id", "thread", "kind", "version"])
        .doUpdateSet({ duplicates: sql<number>`inbox.duplicates + 1` }),
    )
    .returning(["id", "seq", "duplicates"]),
);

/** Numbers the event in its conversation and stores it, or counts it on the first row. Two statements. */
export async function acceptInbound(tx: StoreTx, row: AcceptRow): Promise<AcceptResult> {
  const next = await nextSeq.first(tx, row);
  const stored = await insertOrCount.first(tx, { ...row, seq: next!.seq });
  return { ...stored!, duplicate: stored!.id !== row.id };
}

const finish = statement<{
  id: string;
  disposition: Disposition;
  decisionsJson: string;
  delivery: Delivery | null;
}>()((db, p) =>
  db
    .updateTable("inbox")
    .set({
      state: "done",
      disposition: p.disposition,
      decisions_json: p.decisionsJson,
      delivery: sql<Delivery | null>`coalesce(${p.delivery}, inbox.delivery)`,
    })
    .where("id", "=", p.id),
);

/** Gives the message its one outcome; `delivery: null` leaves what its parts so far made of it. One statement. */
export async function finishInbound(
  tx: StoreTx,
  args: { id: string; disposition: Disposition; decisionsJson: string; delivery: Delivery | null },
): Promise<void> {
  await finish.all(tx, args);
}

// The state stands as a literal: a partial index is used only when the statement repeats its condition.
const isOpen = sql<boolean>`state = 'open'`;

const openOfSession = statement<{ sessionKey: string; limit: number }>()((db, p) =>
  db.selectFrom("inbox").select(COLUMNS).where(isOpen).where("session_key", "=", p.sessionKey).orderBy("id").limit(p.limit),
);

/** The messages of a session that have no outcome yet, oldest first. */
export async function openInboundOfSession(tx: StoreTx, args: { sessionKey: string; limit: number }): Promise<InboxRow[]> {
  return [...(await openOfSession.all(tx, args))];
}

const join = statement<{ id: string; turn: string }>()((db, p) => db.updateTable("inbox").set({ turn: p.turn }).where("id", "=", p.id));

/** A waiting message is from now on answered by the turn of an earlier one. One statement. */
export async function joinTurn(tx: StoreTx, args: { id: string; turn: string }): Promise<void> {
  await join.all(tx, args);
}

const rewrite = statement<{ id: string; bodyJson: string }>()((db, p) =>
  db.updateTable("inbox").set({ body_json: p.bodyJson }).where("id", "=", p.id),
);

/** Replaces what a waiting message says. One statement. */
export async function rewriteInbound(tx: StoreTx, args: { id: string; bodyJson: string }): Promise<void> {
  await rewrite.all(tx, args);
}

const openSessions = statement<object>()((db) =>
  db
    .selectFrom("inbox")
    .select("session_key as sessionKey")
    .distinct()
    .where(isOpen)
    .where("session_key", "is not", null)
    .orderBy("session_key"),
);

/** The sessions that have messages without an outcome. */
export async function openSessionKeys(tx: StoreTx): Promise<string[]> {
  return (await openSessions.all(tx, {})).map((row) => row.sessionKey!);
}

const tooLate = statement<{ before: number; limit: number }>()((db, p) =>
  db
    .selectFrom("inbox")
    .select(["id", "sent_at as sentAt", "decisions_json as decisionsJson"])
    .where(isOpen)
    .where("session_key", "is not", null)
    .where("sent_at", "<", p.before)
    // A turn has the id of its message under its own prefix.
    .where("turn", "is", null)
    .where(sql<boolean>`not exists (select 1 from turns where turns.id = 'tn_' || substr(inbox.id, 4))`)
    .limit(p.limit),
);

/** Open messages that were sent before a time, by the platform's clock, and that no turn has begun to answer. */
export async function waitedTooLong(
  tx: StoreTx,
  args: { before: number; limit: number },
): Promise<readonly Pick<InboxRow, "id" | "sentAt" | "decisionsJson">[]> {
  return await tooLate.all(tx, args);
}

const countOpen = statement<object>()((db) =>
  db
    .selectFrom("inbox")
    .select(sql<number>`count(*)`.as("n"))
    .where(isOpen)
    .where("session_key", "is not", null),
);

/** Messages without an outcome. Read from the partial index of them, so it costs as little as there is to do. */
export async function openInboundCount(tx: StoreTx): Promise<number> {
  return (await countOpen.first(tx, {}))?.n ?? 0;
}

const openStops = statement<object>()((db) =>
  db
    .selectFrom("inbox")
    .select(["session_key as sessionKey", sql<string>`max(id)`.as("id")])
    .where(isOpen)
    .where("session_key", "is not", null)
    // Decisions are written by us as JSON, so a quoted word of somebody else's would have its quotes escaped.
    .where("decisions_json", "like", '%"stage":"abort"%')
    .groupBy("session_key")
    .orderBy("session_key"),
);

/** The newest message of each session that asks to stop and has no outcome yet. */
export async function openStopRequests(tx: StoreTx): Promise<{ readonly sessionKey: string; readonly id: string }[]> {
  return (await openStops.all(tx, {})).map(({ sessionKey, id }) => ({ sessionKey: sessionKey!, id }));
}

const byId = statement<{ id: string }>()((db, p) => db.selectFrom("inbox").select(COLUMNS).where("id", "=", p.id));

/** These messages, in this order. One statement each. */
export async function inboundByIds(tx: StoreTx, ids: readonly string[]): Promise<InboxRow[]> {
  const rows: InboxRow[] = [];
  for (const id of ids) {
    const row = await byId.first(tx, { id });
    if (row) rows.push(row);
  }
  return rows;
}

export function findInboundById(tx: StoreTx, id: string): Promise<InboxRow | undefined> {
  return byId.first(tx, { id });
}

interface PlatformIdArgs {
  readonly channel: string;
  readonly account: string;
  readonly conversation: string;
  readonly platformId: string;
}

const byPlatformId = statement<PlatformIdArgs>()((db, p) =>
  db
    .selectFrom("inbox")
    .select(COLUMNS)
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .where("conversation", "=", p.conversation)
    .where("platform_id", "=", p.platformId),
);

/** Every event about one platform message: itself, its edits and reactions, in any thread; oldest first. */
export async function findInboundByPlatformId(tx: StoreTx, args: PlatformIdArgs): Promise<InboxRow[]> {
  return [...(await byPlatformId.all(tx, args))].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const inChannel = statement<{ channel: string; platformId: string }>()((db, p) =>
  db.selectFrom("inbox").select(COLUMNS).where("channel", "=", p.channel).where("platform_id", "=", p.platformId),
);

/** Every event with a platform id in any conversation of a channel, oldest first. Walks the channel's keys: for people who ask, not for messages. */
export async function findInboundInChannel(tx: StoreTx, args: { channel: string; platformId: string }): Promise<InboxRow[]> {
  return [...(await inChannel.all(tx, args))].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const last = statement<object>()((db) => db.selectFrom("inbox").select(COLUMNS).orderBy("id", "desc").limit(sql.lit(1)));
const lastOfConversation = statement<{ conv: string }>()((db, p) =>
  db.selectFrom("inbox").select(COLUMNS).where("conv", "=", p.conv).orderBy("seq", "desc").limit(sql.lit(1)),
);

/** The newest message of a conversation, or of all. */
export function lastInbound(tx: StoreTx, args: { conv?: string } = {}): Promise<InboxRow | undefined> {
  return args.conv === undefined ? last.first(tx, {}) : lastOfConversation.first(tx, { conv: args.conv });
}

const countByState = statement<object>()((db) =>
  db
    .selectFrom("inbox")
    .select(["state", "disposition", sql<number>`count(*)`.as("n"), sql<number>`sum(duplicates)`.as("duplicates")])
    .groupBy(["disposition", "state"]),
);

/** Counts over the whole inbox, read from an index that covers them, with what was deleted of it for its age. */
export async function inboundCounts(tx: StoreTx): Promise<InboundCounts> {
  const pruned = await prunedCounts(tx);
  const dispositions: Record<string, number> = { ...pruned.dispositions };
  const accepted = Object.values(dispositions).reduce((sum, n) => sum + n, 0);
  const counts = { accepted, open: 0, duplicates: pruned.duplicates };
  for (const { state, disposition, n, duplicates } of await countByState.all(tx, {})) {
    counts.accepted += n;
    counts.duplicates += duplicates;
    if (state === "open") counts.open += n;
    else if (disposition !== null) dispositions[disposition] = (dispositions[disposition] ?? 0) + n;
  }
  return { ...counts, dispositions };
}
