import { BESIDE_ANSWER } from "../store/delivery-state.ts";
import type { OutboxRow } from "../store/outbox.ts";
import { SEND_PRIORITIES, type SendPriority } from "./account-rate.ts";

/** A sentence of the gateway's own that answers no turn. */
export type NoticeKind = "pairing" | "approval" | "alert" | "undelivered";

/** Kinds that are no answer to a person: what becomes of them is nothing that a person has to be told. */
const NOTICES: readonly string[] = ["pairing", "approval", "alert", "undelivered"] satisfies readonly NoticeKind[];

/** Whether a part shows a growing answer, or takes such a view away. It is only for show: it is dropped rather than repeated. */
export function isPreview({ kind }: Pick<OutboxRow, "kind">): boolean {
  return kind === "preview";
}

/** Whether a person waits for this part as (a part of) their answer. */
export function isAnswer({ kind }: Pick<OutboxRow, "kind">): boolean {
  return !isPreview({ kind }) && !NOTICES.includes(kind);
}

/** Whether the part counts in the delivery of the message that its turn answers. */
export function countsInDelivery({ kind }: Pick<OutboxRow, "kind">): boolean {
  return !(BESIDE_ANSWER as readonly string[]).includes(kind);
}

/** How important a part is where a rate makes parts wait. */
export function priorityOf({ kind, op }: Pick<OutboxRow, "kind" | "op">): SendPriority {
  if (isPreview({ kind }) || op === "delete") return "edit";
  return SEND_PRIORITIES.find((priority) => priority === kind) ?? "final";
}
