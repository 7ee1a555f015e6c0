import type { Clock, GatewayError, Hooks, Logger, OutboundPart, Store } from "@trunkline/plugin-sdk";
import type { NewPart, OutboxRow } from "../store/outbox.ts";
import type { DueTimes } from "./due.ts";
import type { Rates } from "./rates.ts";
import type { WayOut } from "./way-out.ts";

export interface WorkerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hooks: Hooks;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly rates: Rates;
  /** Where a part leaves: it waits while its account is not up, and is put aside when its sender is gone. */
  readonly wayOut: (part: OutboundPart) => WayOut;
  /** The sentence that tells a person of a dead part of their answer; nothing where nobody can be told. */
  readonly noticeOf: (row: OutboxRow, part: OutboundPart) => readonly NewPart[];
  readonly onSent: (part: OutboundPart, at: number) => void;
  /** The platform refused an account's token at a send. */
  readonly onRejected: (channel: string, account: string, error: GatewayError) => void;
}

/** What the worker did with parts whose outcome was unknown; each is one more reason to look at a platform. */
export interface AmbiguityCounts {
  readonly ambiguous: number;
  readonly foundSent: number;
  readonly foundAbsent: number;
  readonly undecidedResent: number;
  readonly undecidedHeld: number;
}

/** What the steps of a delivery share. */
export interface DeliveryContext extends WorkerDeps {
  /** Aborts when nothing more is to begin. */
  readonly closing: AbortSignal;
  /** Cuts sends that are still in flight when closing takes too long. */
  readonly cut: AbortSignal;
  readonly due: DueTimes;
  /** Parts that were handed to a platform and whose outcome is not in the table yet. */
  readonly unrecorded: Set<string>;
  readonly counts: { -readonly [Name in keyof AmbiguityCounts]: number };
  /** Wakes the conversations of an account. */
  readonly wakeAccount: (channel: string, account: string) => void;
  /** The table knows better than memory about a conversation. */
  readonly reload: (conv: string) => void;
  /** Parts that were just written. */
  readonly enqueue: (rows: readonly OutboxRow[]) => void;
}

/** The part of a row. */
export function partOf(row: Pick<OutboxRow, "bodyJson">): OutboundPart {
  return JSON.parse(row.bodyJson) as OutboundPart; // written from an OutboundPart
}

/** What every log line about a part says. */
export function logFieldsOf(row: OutboxRow, part: OutboundPart) {
  return {
    trace: row.turn?.replace(/^tn_/, "in_"),
    turn: row.turn ?? undefined,
    part: row.id,
    channel: part.conversation.channel,
    account: part.conversation.account,
  };
}
