import type { Decision, InboundMessage } from "@trunkline/plugin-sdk";
import type { InboxRow } from "../store/inbox.ts";

/** The message of an inbox row. */
export function messageOf(row: Pick<InboxRow, "bodyJson">): InboundMessage {
  return JSON.parse(row.bodyJson ?? "null") as InboundMessage; // written by `judgedRow`
}

/** The recorded decisions of an inbox row. */
export function decisionsOf(row: InboxRow): readonly Decision[] {
  return JSON.parse(row.decisionsJson) as readonly Decision[]; // written by `judgedRow` and `closeTurn`
}

/** The id of the turn that begins with an inbound message. */
export function turnIdOf(inboxId: string): string {
  return inboxId.replace(/^in_/, "tn_");
}
