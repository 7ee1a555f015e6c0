import type { StoreTx } from "@trunkline/plugin-sdk";
import { statement } from "./statement.ts";

/** One session: who talks to which agent, and where in the transcript the present talk began. */
export interface SessionRow {
  readonly sessionKey: string;
  readonly agent: string;
  /** First transcript number of the current session; /new raises it. */
  readonly startedN: number;
  readonly settingsJson: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const byKey = statement<{ sessionKey: string }>()((db, p) =>
  db
    .selectFrom("sessions")
    .select([
      "session_key as sessionKey",
      "agent",
      "started_n as startedN",
      "settings_json as settingsJson",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ])
    .where("session_key", "=", p.sessionKey),
);

export function findSession(tx: StoreTx, sessionKey: string): Promise<SessionRow | undefined> {
  return byKey.first(tx, { sessionKey });
}

const save = statement<SessionRow>()((db, p) =>
  db
    .insertInto("sessions")
    .values({
      session_key: p.sessionKey,
      agent: p.agent,
      started_n: p.startedN,
      settings_json: p.settingsJson,
      created_at: p.createdAt,
      updated_at: p.updatedAt,
    })
    .onConflict((conflict) =>
      conflict.column("session_key").doUpdateSet((eb) => ({
        agent: eb.ref("excluded.agent"),
        started_n: eb.ref("excluded.started_n"),
        settings_json: eb.ref("excluded.settings_json"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    ),
);

/** Creates the session or replaces everything but its creation time. One statement. */
export async function saveSession(tx: StoreTx, row: SessionRow): Promise<void> {
  await save.all(tx, row);
}
