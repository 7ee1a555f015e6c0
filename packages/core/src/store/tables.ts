import type { StoreDialect } from "./statement.ts";

/** The names of a database's column types. */
interface Types {
  readonly text: string;
  readonly int: string;
  readonly blob: string;
  /** What closes a table. */
  readonly end: string;
}

const TYPES: Readonly<Record<StoreDialect, Types>> = {
  // STRICT refuses a value of another type, as PostgreSQL does (sqlite.org/stricttables.html).
  sqlite: { text: "text", int: "integer", blob: "blob", end: ") strict" },
  // Ids and times as text sort by their bytes, as in SQLite, whatever the locale of the server.
  postgres: { text: 'text collate "C"', int: "bigint", blob: "bytea", end: ")" },
};

/** The first schema: every table of the data model, with an index for every query that is not by primary key. */
export function firstSchema(dialect: StoreDialect): readonly string[] {
  const types = TYPES[dialect];
  return [...conversationTables(types), ...turnTables(types), ...sessionTables(types), ...accountTables(types), ...INDEXES];
}

/** The second schema: parts count the ends of the process while they were sent, and dead letters are listed without a walk. */
export function deadLetterSchema(dialect: StoreDialect): readonly string[] {
  const { int } = TYPES[dialect];
  return [
    `alter table outbox add column interrupts ${int} not null default 0`,
    `alter table outbox add column dead_at ${int}`,
    "update outbox set dead_at = created_at where state = 'dead'",
    "create index outbox_dead on outbox (dead_at, id) where state = 'dead' and dead_at is not null",
  ];
}

/** The third schema: a waiting message names the turn that answers it together with an earlier one. */
export function mergedInboundSchema(dialect: StoreDialect): readonly string[] {
  return [`alter table inbox add column turn ${TYPES[dialect].text}`];
}

function conversationTables({ text, int, end }: Types): string[] {
  return [
    `create table conversations (conv ${text} primary key, channel ${text} not null, account ${text} not null,
      conversation ${text} not null, thread ${text} not null, next_seq ${int} not null, last_sent_id ${text} ${end}`,
    `create table inbox (id ${text} primary key, conv ${text} not null, seq ${int} not null, channel ${text} not null,
      account ${text} not null, conversation ${text} not null, thread ${text} not null, platform_id ${text} not null,
      kind ${text} not null, version ${text} not null, session_key ${text}, state ${text} not null, disposition ${text},
      delivery ${text}, config_rev ${int} not null, received_at ${int} not null, sent_at ${int} not null,
      duplicates ${int} not null, decisions_json ${text} not null, body_json ${text} ${end}`,
    `create table outbox (id ${text} primary key, conv ${text} not null, seq ${int} not null, part ${int} not null, turn ${text},
      kind ${text} not null, key ${text} not null unique, op ${text} not null, state ${text} not null, attempts ${int} not null,
      next_at ${int} not null, created_at ${int} not null, sent_at ${int}, receipt_json ${text}, error_json ${text},
      body_json ${text} not null ${end}`,
    `create table messages (conv ${text} not null, platform_id ${text} not null, channel ${text} not null, account ${text} not null,
      direction ${text} not null, author ${text} not null, reply_to ${text}, ref ${text}, at ${int} not null, text ${text} not null,
      primary key (conv, platform_id) ${end}`,
  ];
}

function turnTables({ text, int, end }: Types): string[] {
  return [
    `create table turns (id ${text} primary key, session_key ${text} not null, state ${text} not null, attempts ${int} not null,
      owner ${text} not null, epoch ${int} not null, inbox_ids ${text} not null, model ${text}, config_rev ${int} not null,
      started_at ${int} not null, ended_at ${int} ${end}`,
    `create table steps (turn ${text} not null, n ${int} not null, kind ${text} not null, state ${text} not null,
      request_hash ${text} not null, result_json ${text}, usage_json ${text}, primary key (turn, n) ${end}`,
  ];
}

function sessionTables({ text, int, end }: Types): string[] {
  return [
    `create table transcripts (session_key ${text} not null, n ${int} not null, role ${text} not null, parts_json ${text} not null,
      tokens ${int} not null, at ${int} not null, primary key (session_key, n) ${end}`,
    `create table sessions (session_key ${text} primary key, agent ${text} not null, started_n ${int} not null,
      settings_json ${text} not null, created_at ${int} not null, updated_at ${int} not null ${end}`,
    `create table usage (session_key ${text} not null, turn ${text} not null, n ${int} not null, agent ${text} not null,
      model ${text} not null, input_tokens ${int} not null, output_tokens ${int} not null, cached_tokens ${int} not null,
      cost_micros ${int}, at ${int} not null, primary key (session_key, turn, n) ${end}`,
    `create table cron_runs (job ${text} not null, due_at ${int} not null, state ${text} not null, turn ${text},
      started_at ${int}, ended_at ${int}, error_json ${text}, primary key (job, due_at) ${end}`,
  ];
}

function accountTables({ text, int, blob, end }: Types): string[] {
  return [
    `create table leases (name ${text} primary key, owner ${text} not null, epoch ${int} not null, expires_at ${int} not null ${end}`,
    `create table pairings (channel ${text} not null, account ${text} not null, sender ${text} not null, code ${text} not null,
      state ${text} not null, attempts ${int} not null, created_at ${int} not null, expires_at ${int} not null,
      primary key (channel, account, sender) ${end}`,
    `create table access (channel ${text} not null, account ${text} not null, sender ${text} not null, role ${text} not null,
      granted_by ${text} not null, granted_at ${int} not null, primary key (channel, account, sender) ${end}`,
    `create table auth (channel ${text} not null, account ${text} not null, name ${text} not null, value ${blob} not null,
      updated_at ${int} not null, primary key (channel, account, name) ${end}`,
  ];
}

const INDEXES: readonly string[] = [
  // One event of a platform is stored once. The platform's id comes before the thread, so that it also serves explain.
  "create unique index inbox_event on inbox (channel, account, conversation, platform_id, thread, kind, version)",
  "create unique index inbox_order on inbox (conv, seq)",
  // Partial: as small as the work that is left, however long the history is.
  "create index inbox_open on inbox (session_key, id) where state = 'open' and session_key is not null",
  "create index inbox_counts on inbox (disposition, state, duplicates)",
  "create index outbox_open on outbox (conv, id) where state in ('pending', 'sending', 'ambiguous')",
  "create index outbox_turn on outbox (turn, id) where turn is not null",
  "create index messages_recent on messages (conv, at, length(platform_id), platform_id)",
  "create index messages_sent on messages (conv, at, length(platform_id), platform_id) where direction = 'out'",
  "create index messages_account on messages (channel, account, at, length(platform_id), platform_id)",
];
