import type { StoreTx } from "@trunkline/plugin-sdk";
import { sql } from "./kysely.ts";
import { type Statement, statement } from "./statement.ts";

/** One entry of a session's transcript, in our own format. */
export interface TranscriptRow {
  readonly sessionKey: string;
  /** Place in the session, from 1. */
  readonly n: number;
  readonly role: string;
  readonly partsJson: string;
  /** Estimated tokens of the parts. */
  readonly tokens: number;
  readonly at: number;
}

/** Rows per statement; the text of a statement depends on it, so it bounds the cache too. */
const MAX_ROWS = 32;

type AppendArgs = Readonly<Record<string, string | number>>;
const appends = new Map<number, Statement<AppendArgs, unknown>>();

function appendOf(count: number): Statement<AppendArgs, unknown> {
  const known = appends.get(count);
  if (known !== undefined) return known;
  const made = statement<AppendArgs>()((db, p) =>
    db
      .insertInto("transcripts")
      .values(
        Array.from({ length: count }, (_, i) => ({
          session_key: p[`sessionKey${i}`] as string,
          n: p[`n${i}`] as number,
          role: p[`role${i}`] as string,
          parts_json: p[`partsJson${i}`] as string,
          tokens: p[`tokens${i}`] as number,
          at: p[`at${i}`] as number,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["session_key", "n"]).doUpdateSet((eb) => ({
          role: eb.ref("excluded.role"),
          parts_json: eb.ref("excluded.parts_json"),
          tokens: eb.ref("excluded.tokens"),
          at: eb.ref("excluded.at"),
        })),
      ),
  );
  appends.set(count, made);
  return made;
}

/**
 * Adds entries; a turn that runs again replaces those that it wrote before. One statement for up to 32 rows.
 * Two rows of one call never have the same place.
 */
export async function appendTranscript(tx: StoreTx, rows: readonly TranscriptRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const slice = rows.slice(from, from + MAX_ROWS);
    const args: Record<string, string | number> = {};
    slice.forEach((row, i) => {
      args[`sessionKey${i}`] = row.sessionKey;
      args[`n${i}`] = row.n;
      args[`role${i}`] = row.role;
      args[`partsJson${i}`] = row.partsJson;
      args[`tokens${i}`] = row.tokens;
      args[`at${i}`] = row.at;
    });
    await appendOf(slice.length).all(tx, args);
  }
}

const load = statement<{ sessionKey: string; fromN: number; limit: number }>()((db, p) =>
  db
    .selectFrom("transcripts")
    .select(["session_key as sessionKey", "n", "role", "parts_json as partsJson", "tokens", "at"])
    .where("session_key", "=", p.sessionKey)
    .where("n", ">=", p.fromN)
    .orderBy("n")
    .limit(p.limit),
);

/** Entries from `fromN` on, in order. */
export async function loadTranscript(tx: StoreTx, args: { sessionKey: string; fromN: number; limit: number }): Promise<TranscriptRow[]> {
  return [...(await load.all(tx, args))];
}

const lastN = statement<{ sessionKey: string }>()((db, p) =>
  db
    .selectFrom("transcripts")
    .select(sql<number>`coalesce(max(n), 0)`.as("n"))
    .where("session_key", "=", p.sessionKey),
);

/** The place of the newest entry; 0 when there is none. */
export async function lastTranscriptN(tx: StoreTx, sessionKey: string): Promise<number> {
  return (await lastN.first(tx, { sessionKey }))?.n ?? 0;
}
