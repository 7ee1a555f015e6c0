import type { Decision, InboundMessage, StoreTx } from "@trunkline/plugin-sdk";
import { decisionsOf, messageOf, turnIdOf } from "../reply/rows.ts";
import { findInboundByPlatformId, finishInbound, type InboxRow, rewriteInbound } from "../store/inbox.ts";
import { findTurn } from "../store/turns.ts";
import type { Judged } from "./accept.ts";

export interface AmendDeps {
  readonly amended: { set(id: string, value: true): void };
}

/**
 * What an edit or a deletion does to a message that still waits, in the transaction that accepts it. An edit takes the place of the words, and ends as
 * `merged`: it is answered with the message. A deletion ends the message as `aborted`. When its turn has begun, nothing is changed: both are context. Gives the sessions
 * whose queue is another now.
 */
export async function amendWaiting(
  tx: StoreTx,
  { message, row, verdict }: Judged,
  id: string,
  deps: AmendDeps,
): Promise<string | undefined> {
  if (verdict.disposition !== "context" || (message.kind !== "edit" && message.kind !== "delete")) return undefined;
  const waiting = await findWaiting(tx, row);
  if (waiting === undefined) return undefined;
  // Whoever has read it looks again before it begins.
  deps.amended.set(waiting.id, true);
  if (message.kind === "edit") {
    await rewriteInbound(tx, { id: waiting.id, bodyJson: JSON.stringify(edited(messageOf(waiting), message)) });
    const decision = {
      stage: "kind",
      code: "edit-of-waiting",
      why: `its words took the place of those of ${waiting.id}, which still waited`,
    };
    await finishInbound(tx, { id, disposition: "merged", decisionsJson: withDecision(row.decisionsJson, decision), delivery: null });
  } else {
    const decision = { stage: "kind", code: "deleted", why: `it was deleted (${id}) while it waited` };
    const decisionsJson = JSON.stringify([...decisionsOf(waiting), decision]);
    await finishInbound(tx, { id: waiting.id, disposition: "aborted", decisionsJson, delivery: null });
  }
  return waiting.sessionKey ?? undefined;
}

function withDecision(decisionsJson: string, decision: Decision): string {
  return JSON.stringify([...(JSON.parse(decisionsJson) as readonly Decision[]), decision]); // written by `judgedRow`
}

function edited(old: InboundMessage, { text, media, mentions }: InboundMessage): InboundMessage {
  return { ...old, text, media, mentions };
}

/** The message that an event is about, if no turn has begun to answer it. */
async function findWaiting(tx: StoreTx, event: Judged["row"]): Promise<InboxRow | undefined> {
  for (const row of await findInboundByPlatformId(tx, event)) {
    if (row.kind !== "message" || row.state !== "open" || row.thread !== event.thread || row.sessionKey === null || row.turn !== null)
      continue;
    if ((await findTurn(tx, turnIdOf(row.id))) === undefined) return row;
  }
  return undefined;
}
