import type { StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import { statement } from "./statement.ts";

/** One message of a conversation as people see it, ours or theirs: the index that anchors, context and probes read. */
export interface MessageRow {
  readonly conv: string;
  readonly platformId: string;
  readonly direction: "in" | "out";
  readonly author: string;
  readonly text: string;
  readonly replyTo: string | null;
  /** Id of the inbox or outbox row. */
  readonly ref: string | null;
  readonly at: number;
}

const COLUMNS = ["conv", "platform_id as platformId", "direction", "author", "text", "reply_to as replyTo", "ref", "at"] as const;

const save = statement<MessageRow>()((db, p) =>
  db
    .insertInto("messages")
    .values({
      conv: p.conv,
      platform_id: p.platformId,
      // Copied from the conversation, so that the newest messages of an account are found without visiting its conversations.
      channel: sql<string>`coalesce((select channel from conversations where conv = ${p.conv}), '')`,
      account: sql<string>`coalesce((select account from conversations where conv = ${p.conv}), '')`,
      direction: p.direction,
      author: p.author,
      reply_to: p.replyTo,
      ref: p.ref,
      at: p.at,
      text: p.text,
    })
    .onConflict((conflict) =>
      conflict.columns(["conv", "platform_id"]).doUpdateSet((eb) => ({
        direction: eb.ref("excluded.direction"),
        author: eb.ref("excluded.author"),
        reply_to: eb.ref("excluded.reply_to"),
        ref: eb.ref("excluded.ref"),
        at: eb.ref("excluded.at"),
        text: eb.ref("excluded.text"),
      })),
    ),
);

/** Stores the message, over an earlier version of it. One statement. */
export async function saveMessage(tx: StoreTx, row: MessageRow): Promise<void> {
  await save.all(tx, row);
}

const forget = statement<{ conv: string; platformId: string }>()((db, p) =>
  db.deleteFrom("messages").where("conv", "=", p.conv).where("platform_id", "=", p.platformId),
);

/** Takes a message off the index that was taken away on the platform. One statement. */
export async function forgetMessage(tx: StoreTx, args: { conv: string; platformId: string }): Promise<void> {
  await forget.all(tx, args);
}

const one = statement<{ conv: string; platformId: string }>()((db, p) =>
  db.selectFrom("messages").select(COLUMNS).where("conv", "=", p.conv).where("platform_id", "=", p.platformId),
);

export function findMessage(tx: StoreTx, args: { conv: string; platformId: string }): Promise<MessageRow | undefined> {
  return one.first(tx, args);
}

const inChannel = statement<{ channel: string; platformId: string }>()((db, p) =>
  db.selectFrom("messages").select(COLUMNS).where("channel", "=", p.channel).where("platform_id", "=", p.platformId),
);

/** The messages with a platform id in any conversation of a channel. Walks the channel's keys: for people who ask, not for messages. */
export async function findMessagesInChannel(tx: StoreTx, args: { channel: string; platformId: string }): Promise<MessageRow[]> {
  return [...(await inChannel.all(tx, args))];
}

// Platforms count in seconds and number their messages, so that equal times are common: then the longer id is the newer ("10"
// after "9"), and of equal length the greater. The indexes of migrations.ts have the same expression.
const idLength = sql<number>`length(platform_id)`;

const newest = statement<{ conv: string; limit: number }>()((db, p) =>
  db
    .selectFrom("messages")
    .select(COLUMNS)
    .where("conv", "=", p.conv)
    .orderBy("at", "desc")
    .orderBy(idLength, "desc")
    .orderBy("platform_id", "desc")
    .limit(p.limit),
);

const olderThan = statement<{
  conv: string;
  limit: number;
  at: number;
  platformId: string;
  idLength: number;
}>()((db, p) =>
  db
    .selectFrom("messages")
    .select(COLUMNS)
    .where("conv", "=", p.conv)
    .where("at", "<=", p.at)
    .where((eb) =>
      eb.or([
        eb("at", "<", p.at),
        eb(idLength, "<", p.idLength),
        eb.and([eb(idLength, "=", p.idLength), eb("platform_id", "<", p.platformId)]),
      ]),
    )
    .orderBy("at", "desc")
    .orderBy(idLength, "desc")
    .orderBy("platform_id", "desc")
    .limit(p.limit),
);

/** Messages of a conversation, newest first; with `before`, those older than that one. */
export async function recentMessages(
  tx: StoreTx,
  args: { conv: string; before?: { at: number; platformId: string }; limit: number },
): Promise<MessageRow[]> {
  const { conv, before, limit } = args;
  if (before === undefined) return [...(await newest.all(tx, { conv, limit }))];
  // Both databases count code points.
  return [
    ...(await olderThan.all(tx, {
      conv,
      limit,
      ...before,
      idLength: [...before.platformId].length,
    })),
  ];
}

const newestSent = statement<{ conv: string }>()((db, p) =>
  db
    .selectFrom("messages")
    .select(COLUMNS)
    .where("conv", "=", p.conv)
    .where(sql<boolean>`direction = 'out'`)
    .orderBy("at", "desc")
    .orderBy(idLength, "desc")
    .orderBy("platform_id", "desc")
    .limit(sql.lit(1)),
);

/** The newest message that we sent into a conversation. */
export function newestSentPlatformId(tx: StoreTx, args: { conv: string }): Promise<MessageRow | undefined> {
  return newestSent.first(tx, args);
}

const newestOfAccount = statement<{ channel: string; account: string; limit: number }>()((db, p) =>
  db
    .selectFrom("messages")
    .select(COLUMNS)
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .orderBy("at", "desc")
    .orderBy(idLength, "desc")
    .orderBy("platform_id", "desc")
    .limit(p.limit),
);

/** The newest messages of an account over all its conversations, newest first; for platforms whose ids run over all chats. */
export async function newestPlatformIds(tx: StoreTx, args: { channel: string; account: string; limit: number }): Promise<MessageRow[]> {
  return [...(await newestOfAccount.all(tx, args))];
}

/** Of so many newest messages of an account, the time of its newest one each way. */
const LOOKED_AT = 200;

// Without the texts, which may be long: this is read at every start.
const newestTimes = statement<{ channel: string; account: string }>()((db, p) =>
  db
    .selectFrom("messages")
    .select(["direction", "at"])
    .where("channel", "=", p.channel)
    .where("account", "=", p.account)
    .orderBy("at", "desc")
    .orderBy(idLength, "desc")
    .orderBy("platform_id", "desc")
    .limit(sql.lit(LOOKED_AT)),
);

/** When an account last took in and sent a message, ms UTC; null where none is among its newest 200. One statement. */
export async function lastTimes(
  tx: StoreTx,
  args: { channel: string; account: string },
): Promise<{ lastInboundAt: number | null; lastOutboundAt: number | null }> {
  const newest = await newestTimes.all(tx, args);
  const last = (wanted: MessageRow["direction"]): number | null => newest.find(({ direction }) => direction === wanted)?.at ?? null;
  return { lastInboundAt: last("in"), lastOutboundAt: last("out") };
}
