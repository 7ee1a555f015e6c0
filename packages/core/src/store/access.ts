import type { StoreTx } from "@trunkline/plugin-sdk";
import { statement } from "./statement.ts";

/** A sender whom an operator let in on one account. */
export interface AccessRow {
  readonly channel: string;
  readonly account: string;
  /** Sender id in the channel's canonical form. */
  readonly sender: string;
  /** `paired`: may write in direct messages, with commands, and nothing in groups. */
  readonly role: string;
  /** Who approved: `cli`. */
  readonly grantedBy: string;
  readonly grantedAt: number;
}

/** Names one entry. */
export type AccessKey = Pick<AccessRow, "channel" | "account" | "sender">;

const all = statement<object>()((db) =>
  db
    .selectFrom("access")
    .select(["channel", "account", "sender", "role", "granted_by as grantedBy", "granted_at as grantedAt"])
    .orderBy("channel")
    .orderBy("account")
    .orderBy("sender"),
);

/** Every entry, by channel, account and sender. */
export async function allAccess(tx: StoreTx): Promise<AccessRow[]> {
  return [...(await all.all(tx, {}))];
}

const one = statement<AccessKey>()((db, p) =>
  db.selectFrom("access").select("sender").where("channel", "=", p.channel).where("account", "=", p.account).where("sender", "=", p.sender),
);

/** Whether a sender was let in on an account. One statement. */
export async function isApproved(tx: StoreTx, key: AccessKey): Promise<boolean> {
  return (await one.first(tx, key)) !== undefined;
}

const save = statement<AccessRow>()((db, p) =>
  db
    .insertInto("access")
    .values({
      channel: p.channel,
      account: p.account,
      sender: p.sender,
      role: p.role,
      granted_by: p.grantedBy,
      granted_at: p.grantedAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["channel", "account", "sender"]).doUpdateSet((eb) => ({
        role: eb.ref("excluded.role"),
        granted_by: eb.ref("excluded.granted_by"),
        granted_at: eb.ref("excluded.granted_at"),
      })),
    ),
);

/** Lets a sender in. One statement. */
export async function grantAccess(tx: StoreTx, row: AccessRow): Promise<void> {
  await save.all(tx, row);
}

const remove = statement<AccessKey>()((db, p) =>
  db
    .deleteFrom("access")
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .where("sender", "=", p.sender)
    .returning("sender"),
);

/** Takes an entry away; false when there was none. One statement. */
export async function revokeAccess(tx: StoreTx, key: AccessKey): Promise<boolean> {
  return (await remove.all(tx, key)).length > 0;
}
