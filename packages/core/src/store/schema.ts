import type { Disposition } from "@trunkline/plugin-sdk";

/** How the delivery of an answer stands, beside its disposition. */
export type Delivery = "pending" | "delivered" | "partly" | "dead";
/** Life of one outgoing part. `pending` is surely not sent; `sending` may be; `ambiguous` must be reconciled first. */
export type PartState = "pending" | "sending" | "sent" | "ambiguous" | "dead" | "cancelled";
export type TurnState = "running" | "done" | "failed";

/**
 * The tables, as the query builder sees them; migrations.ts creates them.
 * Text, integer (ms since the epoch, or a count) and blob only; JSON is text that core parses; booleans are 0 and 1.
 */
export interface Tables {
  meta: {
    name: string;
    value: string;
  };
  conversations: {
    conv: string;
    channel: string;
    account: string;
    conversation: string;
    thread: string;
    next_seq: number;
    last_sent_id: string | null;
  };
  inbox: {
    id: string;
    conv: string;
    seq: number;
    channel: string;
    account: string;
    conversation: string;
    thread: string;
    platform_id: string;
    kind: string;
    version: string;
    session_key: string | null;
    state: "open" | "done";
    disposition: Disposition | null;
    delivery: Delivery | null;
    config_rev: number;
    received_at: number;
    sent_at: number;
    duplicates: number;
    /** The turn of an earlier message that answers this one as well; null for all others. */
    turn: string | null;
    decisions_json: string;
    body_json: string | null;
  };
  turns: {
    id: string;
    session_key: string;
    state: TurnState;
    attempts: number;
    owner: string;
    epoch: number;
    inbox_ids: string;
    model: string | null;
    config_rev: number;
    started_at: number;
    ended_at: number | null;
  };
  steps: {
    turn: string;
    n: number;
    kind: "model" | "tool" | "block" | "heard";
    state: "intended" | "done";
    request_hash: string;
    result_json: string | null;
    usage_json: string | null;
  };
  outbox: {
    id: string;
    conv: string;
    seq: number;
    part: number;
    turn: string | null;
    kind: string;
    key: string;
    op: "send" | "edit" | "delete";
    state: PartState;
    attempts: number;
    /** Ends of the process while this part was being sent. */
    interrupts: number;
    next_at: number;
    created_at: number;
    sent_at: number | null;
    /** Since when a dead part waits for the operator; null otherwise, and once they dropped it. */
    dead_at: number | null;
    receipt_json: string | null;
    error_json: string | null;
    body_json: string;
  };
  messages: {
    conv: string;
    platform_id: string;
    channel: string;
    account: string;
    direction: "in" | "out";
    author: string;
    reply_to: string | null;
    ref: string | null;
    at: number;
    text: string;
  };
  transcripts: {
    session_key: string;
    n: number;
    role: string;
    parts_json: string;
    tokens: number;
    at: number;
  };
  sessions: {
    session_key: string;
    agent: string;
    started_n: number;
    settings_json: string;
    created_at: number;
    updated_at: number;
  };
  auth: {
    channel: string;
    account: string;
    name: string;
    value: Uint8Array;
    updated_at: number;
  };
  pairings: {
    channel: string;
    account: string;
    sender: string;
    code: string;
    state: "pending" | "denied";
    attempts: number;
    created_at: number;
    expires_at: number;
  };
  access: {
    channel: string;
    account: string;
    sender: string;
    role: string;
    granted_by: string;
    granted_at: number;
  };
}
