import type { Disposition, StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import { statement } from "./statement.ts";

/** Where a slice of a table begins and how long it may be; ids are in the order of time. */
export interface Slice {
  /** The last id of the slice before; "" for the first. */
  readonly after: string;
  readonly limit: number;
}

const slice = statement<Slice>()((db, p) =>
  db.selectFrom("inbox").select(["id", "received_at as receivedAt"]).where("id", ">", p.after).orderBy("id").limit(p.limit),
);

// What the index of messages points at is history, and is kept.
const prune = statement<{ after: string; upTo: string; before: number }>()((db, p) =>
  db
    .deleteFrom("inbox")
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("state", "=", sql.lit("done"))
    .where("received_at", "<", p.before)
    .where(
      sql<boolean>`not exists (select 1 from messages where messages.conv = inbox.conv and messages.platform_id = inbox.platform_id and messages.ref = inbox.id)`,
    )
    .returning(["disposition", "duplicates"]),
);

/**
 * Deletes, of one slice of the inbox, what ended before a time and is no message of a conversation's history: strangers' rows, reactions,
 * edits, what could not be read. They stay in the counts. `next` is where the next slice begins; absent when the rest is too young.
 */
export async function pruneInbox(tx: StoreTx, args: Slice & { readonly before: number }): Promise<{ next?: string; pruned: number }> {
  const rows = await slice.all(tx, args);
  const last = rows.at(-1);
  if (last === undefined) return { pruned: 0 };
  const gone = await prune.all(tx, { after: args.after, upTo: last.id, before: args.before });
  if (gone.length > 0) await addPrunedCounts(tx, gone);
  const over = rows.length < args.limit || last.receivedAt >= args.before;
  return { pruned: gone.length, ...(over ? {} : { next: last.id }) };
}

/** What was deleted of the inbox, by outcome: accepted stays open plus the sum of dispositions. */
export interface PrunedCounts {
  readonly duplicates: number;
  readonly dispositions: Readonly<Record<string, number>>;
}

/** The row of `meta` that holds the counts, as JSON. */
const ROW = "pruned-inbox";

const readMeta = statement<{ name: string }>()((db, p) => db.selectFrom("meta").select("value").where("name", "=", p.name));
const writeMeta = statement<{ name: string; value: string }>()((db, p) =>
  db
    .insertInto("meta")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") }))),
);

/** One statement. */
export async function prunedCounts(tx: StoreTx): Promise<PrunedCounts> {
  const row = await readMeta.first(tx, { name: ROW });
  return row === undefined ? { duplicates: 0, dispositions: {} } : (JSON.parse(row.value) as PrunedCounts); // written below
}

async function addPrunedCounts(
  tx: StoreTx,
  rows: readonly { readonly disposition: Disposition | null; readonly duplicates: number }[],
): Promise<void> {
  const before = await prunedCounts(tx);
  const dispositions: Record<string, number> = { ...before.dispositions };
  for (const { disposition } of rows) if (disposition !== null) dispositions[disposition] = (dispositions[disposition] ?? 0) + 1;
  const duplicates = before.duplicates + rows.reduce((sum, row) => sum + row.duplicates, 0);
  await writeMeta.all(tx, { name: ROW, value: JSON.stringify({ duplicates, dispositions } satisfies PrunedCounts) });
}

const bodies = statement<Slice>()((db, p) =>
  db
    .selectFrom("outbox")
    .select(["id", sql<string>`case when state in ('sent', 'cancelled') then '' else body_json end`.as("bodyJson")])
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(p.limit),
);

/** Bodies of one slice of the outbox that may still be sent, dead letters too; "" for settled ones. */
export async function sendableBodies(tx: StoreTx, args: Slice): Promise<readonly { readonly id: string; readonly bodyJson: string }[]> {
  return await bodies.all(tx, args);
}
