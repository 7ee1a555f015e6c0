import { type Clock, describeError, type Logger } from "@trunkline/plugin-sdk";
import type { InboxRow } from "../store/inbox.ts";
import { abortReasonOf, TurnAborted } from "./abort.ts";
import { createSemaphore } from "./semaphore.ts";

/** What a turn of a lane gets beside its message. */
export interface LaneTurn {
  readonly row: InboxRow;
  readonly signal: AbortSignal;
  /** How many turns and waiting messages this message stopped; 0 unless it asked to stop. */
  readonly stopped: number;
}

export interface LaneDeps {
  /** The oldest open messages of a session, at most two: the head, and whether there is more. */
  readonly next: (sessionKey: string) => Promise<readonly InboxRow[]>;
  /** Runs a message to its disposition. Rejects with the signal's reason when it was aborted for shutdown. */
  readonly run: (turn: LaneTurn) => Promise<void>;
  /** Ends a waiting message that somebody stopped. */
  readonly abandon: (row: InboxRow) => Promise<void>;
  readonly maxConcurrentTurns: number;
  /** Longest turn, ms; then it is aborted with the reason `timeout`. */
  readonly turnTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One turn at a time per session, sessions side by side. The queue itself is the inbox table; memory holds one head a lane. */
export interface Lanes {
  /** Tells that a message was queued. With its row and an idle lane, the table need not be asked. */
  wake(sessionKey: string, row?: InboxRow): void;
  /** The message that runs in a session. */
  running(sessionKey: string): InboxRow | undefined;
  /** Aborts the running turn and ends what waits, up to but without the message `before`, which tells the person. */
  stop(sessionKey: string, before: string): void;
  /** Resolves when no turn runs or waits in memory. */
  idle(): Promise<void>;
  /** Takes no more turns and aborts the running ones; their messages stay open and are resumed at the next start. */
  close(): Promise<void>;
}

interface Lane {
  more: boolean;
  current: { readonly row: InboxRow; readonly controller: AbortController } | undefined;
  stopBefore: string | undefined;
  stopped: number;
  done: Promise<void>;
}

const RETRY_MS = 1000;

/** Creates the lanes of a gateway. */
export function createLanes(deps: LaneDeps): Lanes {
  const lanes = new Map<string, Lane>();
  const semaphore = createSemaphore(deps.maxConcurrentTurns);
  const closing = new AbortController();

  const runHead = async (lane: Lane, row: InboxRow): Promise<void> => {
    if (lane.stopBefore !== undefined && row.id < lane.stopBefore) {
      await deps.abandon(row);
      lane.stopped += 1;
      return;
    }
    const controller = new AbortController();
    lane.current = { row, controller };
    try {
      await runTurn(lane, row, controller);
      if (row.id === lane.stopBefore) lane.stopBefore = undefined;
    } finally {
      lane.current = undefined;
    }
  };

  const runTurn = async (lane: Lane, row: InboxRow, controller: AbortController): Promise<void> => {
    const release = await semaphore.acquire(controller.signal).catch(() => undefined);
    if (release === undefined || controller.signal.aborted || closing.signal.aborted) {
      release?.();
      // Stopped while it waited for its place; at a shutdown it stays open.
      return abortReasonOf(controller.signal) === "user" ? deps.abandon(row) : undefined;
    }
    const cancelTimeout = deps.clock.timer(deps.turnTimeoutMs, () => controller.abort(new TurnAborted("timeout")));
    try {
      await deps.run({ row, signal: controller.signal, stopped: row.id === lane.stopBefore ? lane.stopped : 0 });
    } finally {
      cancelTimeout();
      release();
    }
  };

  /** Runs the oldest open message. `lane.more` then says whether there may be another. */
  const step = async (sessionKey: string, lane: Lane, given: InboxRow | undefined): Promise<void> => {
    if (given === undefined) {
      lane.more = false;
      const [row, another] = await deps.next(sessionKey);
      if (another) lane.more = true;
      if (row) await runHead(lane, row);
    } else {
      await runHead(lane, given);
    }
  };

  const drain = async (sessionKey: string, lane: Lane, first: InboxRow | undefined): Promise<void> => {
    let given = first;
    while (!closing.signal.aborted) {
      try {
        await step(sessionKey, lane, given);
        if (!lane.more) break;
      } catch (error) {
        if (closing.signal.aborted) break;
        // The store refused: the message is still open in it, and its turn comes again. The lane stays, so that order does.
        deps.logger.error({ session: sessionKey, error: describeError(error) }, "a lane failed; it is tried again");
        await deps.clock.sleep(RETRY_MS, closing.signal).catch(() => {});
      }
      given = undefined;
    }
    // In the same tick as the last look at `more`: a wake after this starts a new lane.
    lanes.delete(sessionKey);
  };

  const start = (sessionKey: string, row: InboxRow | undefined): void => {
    const lane: Lane = { more: false, current: undefined, stopBefore: undefined, stopped: 0, done: Promise.resolve() };
    lanes.set(sessionKey, lane);
    lane.done = drain(sessionKey, lane, row);
  };

  return {
    wake(sessionKey, row) {
      if (closing.signal.aborted) return;
      const lane = lanes.get(sessionKey);
      if (lane) lane.more = true;
      else start(sessionKey, row);
    },
    running: (sessionKey) => lanes.get(sessionKey)?.current?.row,
    stop(sessionKey, before) {
      const lane = lanes.get(sessionKey);
      if (!lane) return;
      lane.stopBefore = before;
      lane.stopped = 0;
      if (lane.current !== undefined && lane.current.row.id < before) {
        lane.stopped = 1;
        lane.current.controller.abort(new TurnAborted("user"));
      }
    },
    async idle() {
      while (lanes.size > 0) await Promise.all([...lanes.values()].map((lane) => lane.done));
    },
    async close() {
      closing.abort(new TurnAborted("shutdown"));
      for (const lane of lanes.values()) lane.current?.controller.abort(new TurnAborted("shutdown"));
      await Promise.all([...lanes.values()].map((lane) => lane.done));
    },
  };
}
