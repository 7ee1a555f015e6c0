import type { StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import { statement } from "./statement.ts";

/** A stranger's request to be let in. One per sender and account. */
export interface PairingRow {
  readonly channel: string;
  readonly account: string;
  /** Sender id in the channel's canonical form. */
  readonly sender: string;
  readonly code: string;
  /** `denied`: the operator said no; the sender stays unanswered until the row expires. */
  readonly state: "pending" | "denied";
  /** Messages of the sender after the first one. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Names one request. */
export type PairingKey = Pick<PairingRow, "channel" | "account" | "sender">;

const COLUMNS = [
  "channel",
  "account",
  "sender",
  "code",
  "state",
  "attempts",
  "created_at as createdAt",
  "expires_at as expiresAt",
] as const;

const one = statement<PairingKey>()((db, p) =>
  db
    .selectFrom("pairings")
    .select(COLUMNS)
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .where("sender", "=", p.sender),
);

/** The sender's request, expired or not. */
export function findPairing(tx: StoreTx, key: PairingKey): Promise<PairingRow | undefined> {
  return one.first(tx, key);
}

const ofAccount = statement<{ channel: string; account: string; now: number }>()((db, p) =>
  db
    .selectFrom("pairings")
    .select(COLUMNS)
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .where("expires_at", ">", p.now),
);

/** The requests of an account that have not expired. */
export async function livePairings(tx: StoreTx, args: { channel: string; account: string; now: number }): Promise<PairingRow[]> {
  return [...(await ofAccount.all(tx, args))];
}

const all = statement<{ now: number }>()((db, p) =>
  db
    .selectFrom("pairings")
    .select(COLUMNS)
    .where("expires_at", ">", p.now)
    .where("state", "=", sql.lit("pending"))
    .orderBy("channel")
    .orderBy("account")
    .orderBy("sender"),
);

/** Every request that waits for an operator, oldest first. */
export async function waitingPairings(tx: StoreTx, now: number): Promise<PairingRow[]> {
  return [...(await all.all(tx, { now }))].sort((a, b) => a.createdAt - b.createdAt);
}

const save = statement<PairingRow>()((db, p) =>
  db
    .insertInto("pairings")
    .values({
      channel: p.channel,
      account: p.account,
      sender: p.sender,
      code: p.code,
      state: p.state,
      attempts: p.attempts,
      created_at: p.createdAt,
      expires_at: p.expiresAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["channel", "account", "sender"]).doUpdateSet((eb) => ({
        code: eb.ref("excluded.code"),
        state: eb.ref("excluded.state"),
        attempts: eb.ref("excluded.attempts"),
        created_at: eb.ref("excluded.created_at"),
        expires_at: eb.ref("excluded.expires_at"),
      })),
    ),
);

/** Stores a request over an earlier one of the sender. One statement. */
export async function savePairing(tx: StoreTx, row: PairingRow): Promise<void> {
  await save.all(tx, row);
}

const raise = statement<PairingKey>()((db, p) =>
  db
    .updateTable("pairings")
    .set({ attempts: sql<number>`attempts + 1` })
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .where("sender", "=", p.sender),
);

/** Counts one more message of a sender who waits. One statement. */
export async function countAttempt(tx: StoreTx, key: PairingKey): Promise<void> {
  await raise.all(tx, key);
}

const remove = statement<PairingKey>()((db, p) =>
  db.deleteFrom("pairings").where("channel", "=", p.channel).where("account", "=", p.account).where("sender", "=", p.sender),
);

/** Takes a request away: its code is used up. One statement. */
export async function deletePairing(tx: StoreTx, key: PairingKey): Promise<void> {
  await remove.all(tx, key);
}

const prune = statement<{ channel: string; account: string; now: number }>()((db, p) =>
  db.deleteFrom("pairings").where("channel", "=", p.channel).where("account", "=", p.account).where("expires_at", "<=", p.now),
);

/** Forgets the expired requests of an account, so that strangers cannot fill the table. One statement. */
export async function deleteExpiredPairings(tx: StoreTx, args: { channel: string; account: string; now: number }): Promise<void> {
  await prune.all(tx, args);
}
