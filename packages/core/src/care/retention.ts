import { type Clock, describeError, type Logger, type Store } from "@trunkline/plugin-sdk";
import type { MediaFolder } from "../media/media-folder.ts";
import { pruneInbox, sendableBodies } from "../store/pruning.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a claim is kept, so that an event that comes again is known, ms. */
export const CLAIM_MS = 30 * DAY_MS;
/** How long a file is kept after it was last taken in or sent, ms. */
export const MEDIA_MS = 30 * DAY_MS;
/** Rows of one slice: one short transaction. */
export const SLICE = 500;
/** How often it is looked for what is too old, ms. */
const PASS_MS = 60 * 60 * 1000;
/** Rest between two slices, in which a busy store shows, ms. */
const REST_MS = 1000;
/** Files that are deleted in one pass; the rest waits for the next. */
const FILES = 10_000;

export interface RetentionDeps {
  readonly store: Store;
  readonly media: Pick<MediaFolder, "olderThan" | "remove">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Deletes what is too old, a little at a time and only while the store has nothing else to do. */
export interface Retention {
  /** Looks every hour until `close`. */
  open(): void;
  /** Ends at the next slice. */
  close(): Promise<void>;
}

/** Creates the retention. History (messages, transcripts, answers) has no age and is kept. */
export function createRetention({ store, media, clock, logger }: RetentionDeps): Retention {
  const closing = new AbortController();
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();
  /** What lies before was looked at when it was old enough, and is history. */
  let claimsFrom = "";

  /** Rests until a whole rest went by without a durable write of anybody. */
  const untilIdle = async (): Promise<void> => {
    for (;;) {
      const before = store.stats().commits.durable;
      await clock.sleep(REST_MS, closing.signal);
      const { commits, queued } = store.stats();
      if (queued === 0 && commits.durable === before) return;
    }
  };

  const pruneClaims = async (): Promise<number> => {
    let total = 0;
    for (;;) {
      await untilIdle();
      const args = { after: claimsFrom, limit: SLICE, before: clock.now() - CLAIM_MS };
      const { next, pruned } = await store.write((tx) => pruneInbox(tx, args), "lazy");
      total += pruned;
      if (next === undefined) return total;
      claimsFrom = next;
    }
  };

  const pruneMedia = async (): Promise<number> => {
    const old = new Set(await media.olderThan(clock.now() - MEDIA_MS, FILES));
    for (let after: string | undefined = ""; old.size > 0 && after !== undefined;) {
      await untilIdle();
      const slice: Parameters<typeof sendableBodies>[1] = { after, limit: SLICE };
      const rows = await store.read((tx) => sendableBodies(tx, slice));
      for (const { bodyJson } of rows) for (const [id] of bodyJson.matchAll(/[0-9a-f]{64}/g)) old.delete(id);
      after = rows.length < SLICE ? undefined : rows.at(-1)!.id;
    }
    // Looked at again: one that was sent or received meanwhile has a new time.
    const still = new Set(await media.olderThan(clock.now() - MEDIA_MS, FILES));
    const gone = [...old].filter((id) => still.has(id));
    for (const id of gone) await media.remove(id);
    return gone.length;
  };

  const pass = async (): Promise<void> => {
    const claims = await pruneClaims();
    const files = await pruneMedia();
    if (claims + files > 0) logger.info({ claims, files }, "what was too old is deleted");
  };

  const again = (): void => {
    cancel = clock.timer(PASS_MS, () => {
      running = pass()
        .catch((error: unknown) => {
          if (!closing.signal.aborted)
            logger.warn({ error: describeError(error) }, "what is too old could not be deleted; it is tried again");
        })
        .then(() => {
          if (!closing.signal.aborted) again();
        });
    });
  };

  return {
    open: again,
    async close() {
      closing.abort();
      cancel();
      await running;
    },
  };
}
