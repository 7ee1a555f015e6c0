import type { Decision, Store } from "@trunkline/plugin-sdk";
import { countsInDelivery } from "../delivery/part-kinds.ts";
import { decisionsOf, turnIdOf } from "../reply/rows.ts";
import type { InboxRow } from "../store/inbox.ts";
import { partsOfTurn, type OutboxRow } from "../store/outbox.ts";
import { findTurn } from "../store/turns.ts";
import { formatDecisions } from "./decisions.ts";
import { type Channels, findMessageFor } from "./find-message.ts";
import { meaningOf } from "./meaning.ts";

/** How far the answer to a message got, by its parts. */
export type DeliveryState = "none" | "pending" | "delivered" | "partly" | "dead";

/** Everything that was decided about one message. No text of it is in here. */
export interface Explanation {
  readonly id: string;
  readonly channel: string;
  readonly account: string;
  readonly conversation: string;
  readonly thread: string;
  readonly platformId: string;
  readonly receivedAt: number;
  readonly state: "open" | "done";
  readonly disposition: string | null;
  readonly delivery: DeliveryState;
  /** How often the platform sent the same event again. */
  readonly duplicates: number;
  readonly decisions: readonly Decision[];
  readonly turn: { readonly id: string; readonly attempts: number; readonly model: string | null } | null;
  readonly parts: readonly {
    readonly id: string;
    readonly kind: string;
    readonly op: "send" | "edit" | "delete";
    readonly state: string;
    readonly attempts: number;
    readonly receipt: unknown;
    readonly error: unknown;
  }[];
}

/** Explains a message: what was decided, by which line, and what became of its answer. */
export async function explainMessage(reference: string, store: Store, channels: Channels = []): Promise<Explanation> {
  const row = await findMessageFor(reference, store, channels);
  return explainRow(row, store);
}

async function explainRow(row: InboxRow, store: Store): Promise<Explanation> {
  const turnId = turnIdOf(row.id);
  const { turn, parts } = await store.read(async (tx) => ({ turn: await findTurn(tx, turnId), parts: await partsOfTurn(tx, turnId) }));
  return {
    id: row.id,
    channel: row.channel,
    account: row.account,
    conversation: row.conversation,
    thread: row.thread,
    platformId: row.platformId,
    receivedAt: row.receivedAt,
    state: row.state,
    disposition: row.disposition,
    // Parts are deleted one day; what became of them stays.
    delivery: (row.state === "done" ? row.delivery : null) ?? deliveryOf(parts),
    duplicates: row.duplicates,
    decisions: decisionsOf(row),
    turn: turn ? { id: turn.id, attempts: turn.attempts, model: turn.model } : null,
    parts: parts.map((part) => ({
      id: part.id,
      kind: part.kind,
      op: part.op,
      state: part.state,
      attempts: part.attempts,
      receipt: JSON.parse(part.receiptJson ?? "null") as unknown,
      error: JSON.parse(part.errorJson ?? "null") as unknown,
    })),
  };
}

/** The state of an answer by the states of its parts. Pure. */
export function deliveryOf(parts: readonly Pick<OutboxRow, "state" | "kind">[]): DeliveryState {
  const live = parts.filter((part) => part.state !== "cancelled" && countsInDelivery(part));
  if (live.length === 0) return "none";
  const dead = live.filter((part) => part.state === "dead").length;
  if (dead === live.length) return "dead";
  if (live.some((part) => part.state !== "sent" && part.state !== "dead")) return "pending";
  return dead > 0 ? "partly" : "delivered";
}

/** An explanation for people: the outcome first, then each decision with the line that made it. */
export function formatExplanation(explanation: Explanation): string {
  const place = `${explanation.channel}:${explanation.account}:${explanation.conversation}/${explanation.platformId}`;
  const outcome = explanation.state === "open" ? "open (not finished yet)" : `${explanation.disposition}`;
  const lines = [
    `${explanation.id}  ${place}`,
    `received  ${new Date(explanation.receivedAt).toISOString()}`,
    `outcome   ${outcome}${explanation.delivery === "none" ? "" : `, ${explanation.delivery}`}`,
    ...(explanation.disposition === null ? [] : [`          ${meaningOf(explanation.disposition)}`]),
  ];
  if (explanation.duplicates > 0)
    lines.push(
      `duplicates  the platform sent it ${explanation.duplicates} more time${explanation.duplicates > 1 ? "s" : ""}; this is the first receipt`,
    );
  lines.push("", "decisions");
  lines.push(...formatDecisions(explanation.decisions));
  if (explanation.turn)
    lines.push(
      "",
      `turn      ${explanation.turn.id}, started ${explanation.turn.attempts}x${explanation.turn.model ? `, ${explanation.turn.model}` : ""}`,
    );
  for (const part of explanation.parts) {
    lines.push(
      `part      ${part.id} ${part.kind}${part.op === "send" ? "" : `, by ${part.op}`}, ${part.state}${part.receipt ? ` ${JSON.stringify(part.receipt)}` : ""}${part.error ? ` ${JSON.stringify(part.error)}` : ""}`,
    );
    if (part.state === "dead") lines.push(`          trunkline dlq show ${part.id} has its words, dlq retry sends it again`);
  }
  return lines.join("\n");
}
