import type { Clock, Logger, ModelMessage, SessionSettings, Store, StoreTx } from "@trunkline/plugin-sdk";
import { findSession, saveSession, type SessionRow } from "../store/sessions.ts";
import { appendTranscript, lastTranscriptN, loadTranscript } from "../store/transcripts.ts";
import { LruMap } from "./lru.ts";

/** Longest history that a prompt carries, in characters; older messages stay in the store. */
export const HISTORY_CHARS = 100_000;

/** Sessions that are kept in memory. */
const CACHED_SESSIONS = 1000;

/** Sessions of which only the settings are kept in memory: every group that talks needs them, also where nobody calls the bot. */
const CACHED_SETTINGS = 10_000;

/** Transcript rows that are read back for a prompt. */
const HISTORY_ROWS = 400;

/** An agent's memory of a conversation, as of the last finished turn. */
export interface Session {
  readonly key: string;
  readonly agent: string;
  /** Transcript number of the first message of the current session; what is older belongs to earlier ones. */
  readonly startedN: number;
  readonly nextN: number;
  readonly createdAt: number;
  /** When the current session began: at the first message, or at the last reset. */
  readonly startedAt: number;
  /** What commands chose; survives resets. */
  readonly settings: SessionSettings;
  /** Oldest first, at most HISTORY_CHARS of text. */
  readonly history: readonly ModelMessage[];
}

/** What a turn adds to its session, written in the turn's last transaction. */
export interface SessionChange {
  readonly append: readonly ModelMessage[];
  /** Start afresh before appending: what was said stays in the store and out of later prompts. */
  readonly reset: boolean;
  /** The settings from now on, when a command changed them. */
  readonly settings?: SessionSettings;
}

/** Sessions with their transcripts: read through a cache, written with the turn that changed them. */
export interface Sessions {
  /** The session as it is; a new one, not yet stored, when there is none. */
  load(key: string, agent: string): Promise<Session>;
  /** What commands chose for the session. No statement for one that is in memory, else one. */
  settings(key: string): Promise<SessionSettings>;
  /** Writes a change inside the turn's transaction and gives the session as it then is. */
  write(tx: StoreTx, session: Session, change: SessionChange): Promise<Session>;
  /** Puts the written session in the cache; called after the transaction committed. */
  remember(session: Session): void;
}

/** Creates the sessions of a gateway. */
export function createSessions(store: Store, clock: Clock, logger: Logger): Sessions {
  const cache = new LruMap<Session>(CACHED_SESSIONS);
  const settings = new LruMap<SessionSettings>(CACHED_SETTINGS);
  return {
    async load(key, agent) {
      const cached = cache.get(key);
      if (cached) return cached;
      const session = await store.read((tx) => readSession(tx, key, agent, { clock, logger }));
      cache.set(key, session);
      return session;
    },
    async settings(key) {
      const known = settings.get(key) ?? cache.get(key)?.settings;
      if (known) return known;
      const read = settingsOf(await store.read((tx) => findSession(tx, key)));
      // A turn that ended meanwhile knows better.
      const current = settings.get(key) ?? read;
      settings.set(key, current);
      return current;
    },
    async write(tx, session, change) {
      const next = applyChange(session, change, clock.now());
      // The row says where the session starts and what was chosen; most turns change neither.
      if (change.reset || change.settings !== undefined || session.nextN === 1) await saveSession(tx, toRow(next));
      if (change.append.length > 0) {
        const first = session.nextN;
        await appendTranscript(
          tx,
          change.append.map((message, index) => ({
            sessionKey: session.key,
            n: first + index,
            role: message.role,
            partsJson: JSON.stringify(message),
            tokens: 0,
            at: clock.now(),
          })),
        );
      }
      return next;
    },
    remember(session) {
      cache.set(session.key, session);
      settings.set(session.key, session.settings);
    },
  };
}

async function readSession(tx: StoreTx, key: string, agent: string, { clock, logger }: { clock: Clock; logger: Logger }): Promise<Session> {
  const now = clock.now();
  const row = await findSession(tx, key);
  if (!row) return { key, agent, startedN: 1, nextN: 1, createdAt: now, startedAt: now, settings: {}, history: [] };
  const last = await lastTranscriptN(tx, key);
  const nextN = last + 1;
  const rows = await loadTranscript(tx, { sessionKey: key, fromN: Math.max(row.startedN, nextN - HISTORY_ROWS), limit: HISTORY_ROWS });
  const history = rows.flatMap((entry) => messageIn(entry) ?? []);
  // A damaged file that was restored, or a hand in the database: the conversation goes on without what nobody can read.
  if (history.length < rows.length)
    logger.error({ session: key, entries: rows.length - history.length }, "a transcript has unreadable entries");
  return {
    key,
    agent,
    startedN: row.startedN,
    nextN,
    createdAt: row.createdAt,
    startedAt: row.updatedAt,
    settings: settingsOf(row),
    history: fitHistory(history),
  };
}

/** The message of an entry, as `write` stored it; undefined when it cannot be read. */
function messageIn({ partsJson }: { readonly partsJson: string }): ModelMessage | undefined {
  const message = parsed(partsJson) as Partial<ModelMessage> | undefined;
  return typeof message?.role === "string" && typeof message.text === "string" ? (message as ModelMessage) : undefined;
}

function settingsOf(row: SessionRow | undefined): SessionSettings {
  return (parsed(row?.settingsJson ?? "{}") as SessionSettings | undefined) ?? {}; // written by `toRow`
}

function parsed(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The session after a change. Pure. */
export function applyChange(session: Session, change: SessionChange, now: number): Session {
  const kept = change.reset ? [] : session.history;
  return {
    ...session,
    settings: change.settings ?? session.settings,
    startedN: change.reset ? session.nextN : session.startedN,
    startedAt: change.reset ? now : session.startedAt,
    nextN: session.nextN + change.append.length,
    history: fitHistory([...kept, ...change.append]),
  };
}

/** Longest message in a history, in characters: one long answer must not take the place of everything before it. */
const MESSAGE_CHARS = 25_000;
/** What of a longer one is kept from its end. */
const TAIL_CHARS = 5_000;

/**
 * The newest messages that fit HISTORY_CHARS and HISTORY_ROWS, beginning with a user message so that no answer or tool result stands
 * alone. Of a very long message its beginning and its end.
 */
export function fitHistory(all: readonly ModelMessage[]): readonly ModelMessage[] {
  const messages = all.map(shortened);
  let size = 0;
  let from = messages.length;
  while (from > 0) {
    size += messages[from - 1]?.text.length ?? 0;
    if (size > HISTORY_CHARS || messages.length - from >= HISTORY_ROWS) break;
    from -= 1;
  }
  const start = messages.findIndex((message, index) => index >= from && message.role === "user");
  return start === -1 ? [] : messages.slice(start);
}

function shortened(message: ModelMessage): ModelMessage {
  const { text } = message;
  if (text.length <= MESSAGE_CHARS) return message;
  const note = "\n\n[The middle of this message is left out here.]\n\n";
  const head = text.slice(0, MESSAGE_CHARS - TAIL_CHARS - note.length);
  // What its provider attached belongs to the whole text.
  const { opaque: _whole, ...rest } = message as ModelMessage & { readonly opaque?: unknown };
  return { ...rest, text: (head + note + text.slice(-TAIL_CHARS)).replace(/\p{Surrogate}/gu, "") };
}

function toRow(session: Session): SessionRow {
  return {
    sessionKey: session.key,
    agent: session.agent,
    startedN: session.startedN,
    settingsJson: JSON.stringify(session.settings),
    createdAt: session.createdAt,
    updatedAt: session.startedAt,
  };
}
