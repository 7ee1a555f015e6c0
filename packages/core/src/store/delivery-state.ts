import type { StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import type { Delivery } from "./schema.ts";
import { statement } from "./statement.ts";

/** Kinds of parts that stand beside an answer and are none of it: a preview that was not replaced, and the sentence about a dead part. */
export const BESIDE_ANSWER = ["preview", "undelivered"] as const;

const refresh = statement<{ turn: string; inbox: string }>()((db, p) =>
  db
    .updateTable("inbox")
    .set({
      delivery: sql<Delivery | null>`(select case
        when count(*) = 0 then null
        when count(case when state in ('pending', 'sending', 'ambiguous') then 1 end) > 0 then 'pending'
        when count(case when state = 'dead' then 1 end) = 0 then 'delivered'
        when count(case when state = 'dead' then 1 end) = count(*) then 'dead'
        else 'partly' end
        from outbox where outbox.turn = ${p.turn} and outbox.state <> 'cancelled' and outbox.kind not in (${sql.join(BESIDE_ANSWER.map((kind) => sql.lit(kind)))}))`,
    })
    .where("id", "=", p.inbox),
);

/** Brings the delivery of a turn's message to what its parts say now. One statement; nothing for a part that answers no turn. */
export async function refreshDelivery(tx: StoreTx, turn: string | null): Promise<void> {
  if (turn !== null) await refresh.all(tx, { turn, inbox: turn.replace(/^tn_/, "in_") });
}
