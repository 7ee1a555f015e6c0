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
      "decisions_json as decisionsJson",
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
    else if (wasTold(row)) break;
  }
  return untold;
}

/**
 * Whether an agent got this message, and with it what was said before. One that joined a running turn came alone. Decisions are written by us as JSON, so
 * that a quoted word of somebody else's would have its quotes escaped.
 */
function wasTold(row: Pick<InboxRow, "kind" | "disposition" | "decisionsJson"> & { readonly turns: number }): boolean {
  if (row.kind !== "message" || row.decisionsJson.includes('"code":"steered"')) return false;
  return Number(row.turns) > 0 || row.disposition === "merged";
}
