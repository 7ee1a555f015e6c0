import type { Clock, ConfigSource, Decision, Logger, Store } from "@trunkline/plugin-sdk";
import { finishInbound, waitedTooLong } from "../store/inbox.ts";
import { withOrigin } from "./accept.ts";
import { staleDecision } from "./decide.ts";

/** Messages that are looked at in one transaction. */
const SLICE = 500;

export interface BacklogDeps {
  readonly config: ConfigSource;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * At a start: ends open messages that have become older than `messages.maxInboundAge` by the platform's time while no gateway ran, as they
 * would end had they come in only now. One that an agent has begun to answer is finished whatever its age. Gives their number.
 */
export async function endStaleBacklog({ config, store, clock, logger }: BacklogDeps): Promise<number> {
  const snapshot = config.current();
  const now = clock.now();
  const before = now - snapshot.config.messages.maxInboundAge;
  let ended = 0;
  for (;;) {
    const slice = await store.write(async (tx) => {
      const rows = await waitedTooLong(tx, { before, limit: SLICE });
      for (const row of rows) {
        const decisions = JSON.parse(row.decisionsJson) as readonly Decision[]; // written by `judgedRow`
        const decision = withOrigin(staleDecision(now - row.sentAt), snapshot);
        await finishInbound(tx, {
          id: row.id,
          disposition: "stale",
          decisionsJson: JSON.stringify([...decisions, decision]),
          delivery: null,
        });
      }
      return rows.length;
    }, "committed");
    ended += slice;
    if (slice < SLICE) break;
  }
  if (ended > 0) logger.warn({ ended }, "messages had become too old while no gateway ran; they are kept and not answered");
  return ended;
}
