import { conversationKey, type ConversationRef, type OutboundPart, type Store } from "@trunkline/plugin-sdk";
import { DIRECT } from "../fake-message.ts";
import { insertParts, type NewPart, type OutboxRow } from "../store/outbox.ts";
import { partKey } from "./part-key.ts";

let count = 0;

export interface FakePart {
  readonly text: string;
  readonly conversation?: ConversationRef;
  readonly turn?: string;
  readonly createdAt?: number;
  readonly over?: Partial<OutboundPart>;
  /** Kind and operation of the row. Default: a final that is sent. */
  readonly row?: Partial<Pick<NewPart, "kind" | "op">>;
}

/** Commits parts as a turn does, and gives the rows that it would hand to the worker. For tests only. */
export async function commitParts(store: Store, parts: readonly FakePart[]): Promise<readonly OutboxRow[]> {
  const rows = parts.map(newPart);
  return store.write((tx) => insertParts(tx, rows), "durable");
}

/** A part as a turn would write it. For tests only. */
export function newPart({ text, conversation = DIRECT, turn = "tn_1", createdAt = 0, over = {}, row = {} }: FakePart): NewPart {
  count += 1;
  const id = `ob_${String(count).padStart(10, "0")}`;
  const part: OutboundPart = {
    id,
    key: partKey(turn, 1, count),
    conversation,
    turn,
    text: { text, plain: text, length: text.length },
    ...over,
  };
  return {
    id,
    conv: conversationKey(conversation),
    seq: 1,
    part: count,
    turn,
    kind: "final",
    key: part.key,
    op: "send",
    bodyJson: JSON.stringify(part),
    createdAt,
    ...row,
  };
}
