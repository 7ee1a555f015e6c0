import { GatewayError, type StoreTx } from "@trunkline/plugin-sdk";
import { statement } from "./statement.ts";

/** Longest text that an account may keep under one name, in bytes. */
const VALUE_BYTES = 256 * 1024;

/** Where an account keeps something: the table `auth`, which holds what a login or a channel has to remember. */
export interface MemoryKey {
  readonly channel: string;
  readonly account: string;
  readonly name: string;
}

const read = statement<MemoryKey>()((db, p) =>
  db.selectFrom("auth").select("value").where("channel", "=", p.channel).where("account", "=", p.account).where("name", "=", p.name),
);

const write = statement<MemoryKey & { readonly value: Uint8Array; readonly now: number }>()((db, p) =>
  db
    .insertInto("auth")
    .values({ channel: p.channel, account: p.account, name: p.name, value: p.value, updated_at: p.now })
    .onConflict((conflict) =>
      conflict
        .columns(["channel", "account", "name"])
        .doUpdateSet((eb) => ({ value: eb.ref("excluded.value"), updated_at: eb.ref("excluded.updated_at") })),
    ),
);

const forget = statement<MemoryKey>()((db, p) =>
  db.deleteFrom("auth").where("channel", "=", p.channel).where("account", "=", p.account).where("name", "=", p.name),
);

/** What the account keeps under the name. One statement. */
export async function readMemory(tx: StoreTx, key: MemoryKey): Promise<string | undefined> {
  const row = await read.first(tx, key);
  return row === undefined ? undefined : new TextDecoder().decode(row.value);
}

/** Keeps a text in place of an earlier one; undefined forgets it. One statement. */
export async function writeMemory(tx: StoreTx, key: MemoryKey, value: string | undefined, now: number): Promise<void> {
  if (value === undefined) {
    await forget.all(tx, key);
    return;
  }
  const bytes = new TextEncoder().encode(value);
  if (bytes.byteLength > VALUE_BYTES) throw new GatewayError("GATEWAY_BUG", { detail: { name: key.name, bytes: bytes.byteLength } });
  await write.all(tx, { ...key, value: bytes, now });
}
