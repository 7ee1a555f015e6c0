import type { Disposition, StoreTx } from "@trunkline/plugin-sdk";
import type { InboxRow } from "./inbox.ts";
import { sql } from "./kysely.ts";
import { statement } from "./statement.ts";

interface UntoldArgs {
  readonly conv: string;
  readonly seq: number;
  readonly limit: number;
}

/** Outcomes of messages that an agent was asked about; a stopped one only when its turn had begun. */
const ASKED = ["replied", "silent", "failed", "merged", "aborted", "superseded"] as const;

const LOOKED_AT: readonly Disposition[] = ["not-mentioned", "context", ...ASKED];

const before = statement<UntoldArgs>()((db, p) =>
  db
    .selectFrom("inbox")
    .select([
      "kind",
      "disposition",
      "body_json as bodyJson",
      // A turn has the id of its message under its own prefix.
      sql<number>`(select count(*) from turns where turns.id = 'tn_' || substr(inbox.id, 4))`.as("turns"),
    ])
    .where("conv", "=", p.conv)
    .where("seq", "<", p.seq)
    .where(sql<boolean>`disposition in (${sql.join(LOOKED_AT.map((one) => sql.lit(one)))})`)
    .orderBy("seq", "desc")
    .limit(p.limit),
);

/** What was said in a conversation before a message and never given to an agent, since it was last asked there; oldest first, the newest `limit`. One statement. */
export async function untoldBefore(tx: StoreTx, args: UntoldArgs): Promise<readonly Pick<InboxRow, "bodyJson">[]> {
  const untold: Pick<InboxRow, "bodyJson">[] = [];
  for (const row of await before.all(tx, args)) {
    const untouched = row.disposition === "not-mentioned" || row.disposition === "context";
    if (untouched) untold.unshift(row);
    else if (row.kind === "message" && (Number(row.turns) > 0 || row.disposition === "merged")) break;
  }
  return untold;
}
