import {
  type Clock,
  type ConversationRef,
  describeError,
  GatewayError,
  type Logger,
  type Store,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { deadLetterCount, deadLetters, dropDeadLetter, pruneDeadLetters, retryDeadLetter } from "../store/dead-letters.ts";
import { findPart, type OutboxRow } from "../store/outbox.ts";
import { partOf } from "./context.ts";

/** Dead letters are kept this long, ms. */
export const DEAD_LETTER_DAYS = 30;
const KEPT_MS = DEAD_LETTER_DAYS * 24 * 60 * 60 * 1000;
/** Rows of one deletion, so that nothing waits long for it. */
const SLICE = 500;
/** When old ones are looked for first, ms after the start: not beside what a start has to do. */
const PRUNE_FIRST_MS = 10 * 60 * 1000;
/** How often old ones are looked for, ms. */
const PRUNE_EVERY_MS = 6 * 60 * 60 * 1000;
/** Entries of a list at most, newest first. */
const LISTED = 200;

/** A part that was put aside, as an operator sees it. */
export interface DeadLetter {
  /** `ob_...`. */
  readonly id: string;
  readonly key: string;
  readonly conversation: ConversationRef;
  /** The turn whose answer it is part of. */
  readonly turn: string | null;
  readonly kind: string;
  readonly attempts: number;
  /** Why it was put aside. */
  readonly error: { readonly code: string; readonly message: string };
  /** Ms UTC. */
  readonly deadAt: number;
}

/** Where operators look after what could not be delivered. */
export interface DeadLetterDesk {
  /** The newest 200, and how many there are. */
  list(): Promise<{ readonly total: number; readonly letters: readonly DeadLetter[] }>;
  /** One, with its words and the names of its files. DELIVERY_PART_UNKNOWN when there is none. */
  show(id: string): Promise<DeadLetter & { readonly text: string; readonly files: readonly string[] }>;
  /**
   * Sends it again, under its key. It goes before what still waits in its conversation, since it is older, and behind what a platform may
   * have seen already. DELIVERY_PART_UNKNOWN when there is none.
   */
  retry(id: string): Promise<DeadLetter>;
  /** Takes it off the list; it stays undelivered. DELIVERY_PART_UNKNOWN when there is none. */
  drop(id: string): Promise<DeadLetter>;
  /** Deletes those that are older than 30 days; gives their number. */
  prune(): Promise<number>;
  /** Prunes soon and every six hours, until the signal. */
  keepPruned(signal: AbortSignal, logger: Logger): void;
}

export interface DeadLetterDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The running worker. Absent when no gateway runs: then the next start reads the table. */
  readonly running?: { readonly reload: (conv: string) => void };
}

/** Opens the desk on a store, in a running gateway or beside a stopped one. */
export function createDeadLetterDesk({ store, clock, running }: DeadLetterDeps): DeadLetterDesk {
  const change = async (id: string, how: (tx: StoreTx) => Promise<OutboxRow | undefined>): Promise<OutboxRow> => {
    // The row as it was: its error is part of the answer.
    const before = await store.read((tx) => findPart(tx, id));
    const row = before && (await store.write(how, "durable"));
    if (!before || !row) throw unknown(id);
    return before;
  };
  const prune = async (): Promise<number> => {
    let all = 0;
    for (let slice = SLICE; slice === SLICE; all += slice) {
      slice = await store.write((tx) => pruneDeadLetters(tx, { before: clock.now() - KEPT_MS, limit: SLICE }), "lazy");
    }
    return all;
  };
  return {
    list: () => store.read(async (tx) => ({ total: await deadLetterCount(tx), letters: (await deadLetters(tx, LISTED)).map(letterOf) })),
    async show(id) {
      const row = await store.read((tx) => findPart(tx, id));
      if (row?.state !== "dead" || row.deadAt === null) throw unknown(id);
      const { text, media } = partOf(row);
      return { ...letterOf(row), text: text?.plain ?? "", files: (media ?? []).map(({ fileName }) => fileName) };
    },
    async retry(id) {
      const row = await change(id, (tx) => retryDeadLetter(tx, { id, now: clock.now() }));
      running?.reload(row.conv);
      return letterOf(row);
    },
    drop: async (id) => letterOf(await change(id, (tx) => dropDeadLetter(tx, id))),
    prune,
    keepPruned(signal, logger) {
      let cancel = (): void => {};
      const after = (ms: number): void => void (cancel = clock.timer(ms, round));
      const round = (): void => {
        prune()
          .then((count) => count > 0 && logger.info({ count }, `dead letters of more than ${DEAD_LETTER_DAYS} days were deleted`))
          .catch((error: unknown) => logger.warn({ error: describeError(error) }, "old dead letters could not be deleted"));
        after(PRUNE_EVERY_MS);
      };
      signal.addEventListener("abort", () => cancel(), { once: true });
      after(PRUNE_FIRST_MS);
    },
  };
}

function letterOf(row: OutboxRow): DeadLetter {
  const { id, key, turn, kind, attempts, deadAt } = row;
  const { code = "", message = "" } = JSON.parse(row.errorJson ?? "{}") as { code?: string; message?: string }; // written by `putAside`
  return { id, key, conversation: partOf(row).conversation, turn, kind, attempts, error: { code, message }, deadAt: deadAt ?? 0 };
}

function unknown(id: string): GatewayError {
  return new GatewayError("DELIVERY_PART_UNKNOWN", { detail: { id: id.slice(0, 100) } });
}

/** A dead letter in one line. */
export function formatDeadLetter({ id, conversation, error, attempts, deadAt, kind }: DeadLetter): string {
  const { channel, account, id: chat, threadId } = conversation;
  const place = `${channel}:${account}:${chat}${threadId === undefined ? "" : `/${threadId}`}`;
  const since = new Date(deadAt).toISOString().slice(0, 16).replace("T", " ");
  return `${id}  ${place}  ${kind}, since ${since} UTC, tried ${attempts}x\n  ${error.code}: ${error.message}`;
}
