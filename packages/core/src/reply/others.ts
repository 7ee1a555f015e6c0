import type { Decision, Disposition, StoreTx } from "@trunkline/plugin-sdk";
import { finishInbound } from "../store/inbox.ts";
import { decisionsOf } from "./rows.ts";
import type { Turn } from "./turn.ts";

/**
 * Ends the messages that a turn answers beside the one that it begins with, in its last transaction: as `merged`, with the message whose turn answered them;
 * where the turn was stopped, they were too. One statement each.
 */
export async function finishOthers(tx: StoreTx, turn: Turn, disposition: Disposition): Promise<void> {
  const stopped = disposition === "aborted" || disposition === "superseded";
  const steered = turn.steering.taken();
  for (const row of [...turn.rows.slice(1), ...steered]) {
    const joined = steered.includes(row);
    const how = joined ? "it joined the running turn of" : "it was answered together with";
    const decision: Decision = stopped
      ? { stage: "abort", code: disposition, why: `the turn of ${turn.row.id}, which answered it as well, was stopped` }
      : { stage: "queue", code: joined ? "steered" : "merged", why: `${how} ${turn.row.id}` };
    const decisionsJson = JSON.stringify([...decisionsOf(row), decision]);
    await finishInbound(tx, { id: row.id, disposition: stopped ? disposition : "merged", decisionsJson, delivery: null });
  }
}
