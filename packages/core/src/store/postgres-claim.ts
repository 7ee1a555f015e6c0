import { GatewayError, type StoreRow } from "@trunkline/plugin-sdk";
import type { PostgresSession, ServerProcess } from "./postgres-session.ts";

/** Name of the row in `meta` that says which gateway wrote last, and how many commits it made: `<gateway> <commits>`. */
const ROW = "writer";

/** What a gateway left in the database: its commits up to this number are there, and none after it. */
export interface WriterMark {
  readonly gateway: string;
  readonly commits: number;
}

/**
 * Makes the session the only one that writes into a schema, or gives false. The server frees the lock when the session ends, however
 * the gateway ended; a session that lost it has lost its connection too, so that nobody writes without it.
 */
export async function claimSchema(session: PostgresSession, schema: string): Promise<boolean> {
  const [row] = await session.execute({
    sql: "select pg_try_advisory_lock(hashtextextended($1, 0)) as held",
    parameters: [lockName(schema)],
  });
  return (row as { held?: unknown } | undefined)?.held === true;
}

function lockName(schema: string): string {
  return `trunkline gateway ${schema}`;
}

/** The refusal of a schema that another gateway holds, with what the server tells of that gateway. */
export async function inUseError(session: PostgresSession, schema: string, name: string): Promise<GatewayError> {
  const holder = await session
    .execute({
      sql: `select a.pid, host(a.client_addr) as address, to_char(a.backend_start at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') as since
        from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted and l.objsubid = 1
          and l.database = (select oid from pg_database where datname = current_database())
          and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended($1, 0)`,
      parameters: [lockName(schema)],
    })
    .then(([row]) => row && describeHolder(row))
    .catch(() => undefined);
  return new GatewayError("STORE_IN_USE", { detail: { path: name, schema, holder: holder ?? "a session that PostgreSQL does not tell" } });
}

function describeHolder({ pid, address, since }: StoreRow): string {
  return `connected ${address === null || address === undefined ? "by a local socket" : `from ${String(address)}`} since ${String(since)} UTC, server process ${String(pid)}`;
}

/** Ends a session that this gateway lost, should the server not know of the loss yet: it would hold the lock until then. */
export async function endLostSession(session: PostgresSession, { pid, started }: ServerProcess): Promise<void> {
  const sql = "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2";
  await session.execute({ sql, parameters: [pid, started] }).catch(() => {});
}

/** The statement that names the writer and its commits; it stands in the transaction that it counts. */
export function markText(mark: WriterMark): string {
  return `update meta set value = '${mark.gateway} ${mark.commits}' where name = '${ROW}'`;
}

/** Takes the schema's mark over: from here on the gateway of before is known to be no longer the last. */
export async function writeFirstMark(session: PostgresSession): Promise<WriterMark> {
  const [rows] = await session.simple(
    `insert into meta (name, value) values ('${ROW}', gen_random_uuid() || ' 0')
      on conflict (name) do update set value = excluded.value returning value`,
  );
  return parseMark(rows?.[0]?.["value"])!;
}

/** The mark as it is in the database; undefined when there is none. */
export async function readMark(session: PostgresSession): Promise<WriterMark | undefined> {
  const rows = await session.execute({ sql: "select value from meta where name = $1", parameters: [ROW] });
  return parseMark(rows[0]?.["value"]);
}

function parseMark(value: unknown): WriterMark | undefined {
  const [, gateway, commits] = /^([\da-f-]{36}) (\d+)$/.exec(String(value)) ?? [];
  return gateway === undefined ? undefined : { gateway, commits: Number(commits) };
}
