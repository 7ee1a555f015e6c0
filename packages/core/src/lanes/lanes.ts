import { type Clock, describeError, type Logger } from "@trunkline/plugin-sdk";
import type { InboxRow } from "../store/inbox.ts";
import { abortReasonOf, TurnAborted } from "./abort.ts";
import type { LaneStep } from "./plan.ts";
import { createSemaphore } from "./semaphore.ts";

/** What a turn of a lane gets beside its messages. */
export interface LaneTurn {
  /** The message that the turn begins with, and is named after. */
  readonly row: InboxRow;
  /** All messages that it answers, in order, the first included. */
  readonly rows: readonly InboxRow[];
  /** Left out because too many waited; ended when the turn starts. */
  readonly overflow: readonly InboxRow[];
  readonly signal: AbortSignal;
  /** How many turns and waiting messages this message stopped; 0 unless it asked to stop. */
  readonly stopped: number;
  /** Whether messages came meanwhile. */
  hasMore(): boolean;
}

/** Why a waiting message is ended without a turn of its own. */
export type AbandonReason = "user" | "superseded";

export interface LaneDeps {
  /** What the lane of a session does next, by the table. `previous` began what it did last. */
  readonly look: (sessionKey: string, previous: InboxRow | undefined) => Promise<LaneStep>;
  /** Runs messages to their dispositions. Rejects with the signal's reason when it was aborted for shutdown. */
  readonly run: (turn: LaneTurn) => Promise<void>;
  /** Ends a message that somebody stopped, or that a later one takes the place of. */
  readonly abandon: (row: InboxRow, reason: AbandonReason) => Promise<void>;
  readonly maxConcurrentTurns: number;
  /** Longest turn, ms; then it is aborted with the reason `timeout`. */
  readonly turnTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One turn at a time per session, sessions side by side. The queue itself is the inbox table; memory holds one head a lane. */
export interface Lanes {
  /** Tells that a message was queued. With its row and an idle lane, the table need not be asked, and it runs at once. */
  wake(sessionKey: string, row?: InboxRow): void;
  /** The message that a session's turn begins with, also while more of it is waited for. */
  running(sessionKey: string): InboxRow | undefined;
  /** The messages that a session's turn answers; empty when none runs. */
  answering(sessionKey: string): readonly InboxRow[];
  /** Aborts the running turn and ends what waits, up to but without the message `before`, which tells the person. */
  stop(sessionKey: string, before: string): void;
  /** Aborts the running turn if it began before the message `by`, which waits and takes its place. */
  supersede(sessionKey: string, by: string): void;
  /** Resolves when no turn runs or waits in memory. */
  idle(): Promise<void>;
  /** Takes no more turns and aborts the running ones; their messages stay open and are resumed at the next start. */
  close(): Promise<void>;
}

interface Lane {
  more: boolean;
  current: { readonly rows: readonly InboxRow[]; readonly controller: AbortController } | undefined;
  /** More is waited for; a look at the table cuts it short. */
  waiting: { readonly row: InboxRow; readonly cut: AbortController } | undefined;
  /** What began the last turn. */
  previous: InboxRow | undefined;
  stopBefore: string | undefined;
  stopped: number;
  done: Promise<void>;
}

type Run = Extract<LaneStep, { readonly do: "run" }>;

const RETRY_MS = 1000;

/** Creates the lanes of a gateway. */
export function createLanes(deps: LaneDeps): Lanes {
  const lanes = new Map<string, Lane>();
  const semaphore = createSemaphore(deps.maxConcurrentTurns);
  const closing = new AbortController();

  const isStopped = (lane: Lane, row: InboxRow): boolean => lane.stopBefore !== undefined && row.id < lane.stopBefore;

  /** Ends what was stopped before it began. */
  const endStopped = async (lane: Lane, rows: readonly InboxRow[]): Promise<void> => {
    lane.more = true;
    for (const row of rows) {
      await deps.abandon(row, "user");
      lane.stopped += 1;
    }
  };

  const runStep = async (lane: Lane, step: Run): Promise<void> => {
    const [row] = step.rows;
    lane.more ||= step.more;
    const stopped = [...step.rows, ...step.overflow].filter((one) => isStopped(lane, one));
    // Nothing is awaited between this look and the start: a stop in between would find neither a message that waits nor a turn that runs.
    if (stopped.length > 0) return endStopped(lane, stopped);
    if (step.superseded) {
      for (const one of step.rows) await deps.abandon(one, "superseded");
      return;
    }
    const controller = new AbortController();
    lane.current = { rows: step.rows, controller };
    try {
      await runTurn(lane, step, controller);
      lane.previous = row;
      if (row.id === lane.stopBefore) lane.stopBefore = undefined;
    } finally {
      lane.current = undefined;
    }
  };

  const runTurn = async (lane: Lane, { rows, overflow }: Run, controller: AbortController): Promise<void> => {
    const [row] = rows;
    // Whoever stops waits for nobody's place.
    const free = row.id === lane.stopBefore;
    const release = free ? (): void => {} : await semaphore.acquire(controller.signal).catch(() => undefined);
    if (release === undefined || controller.signal.aborted || closing.signal.aborted) {
      release?.();
      // Cut short while it waited for its place: the next look ends what was stopped, or puts what waits together anew. At a shutdown it stays open.
      lane.more = true;
      if (abortReasonOf(controller.signal) === "user") lane.stopped -= 1; // counted once, when it is ended
      return;
    }
    const cancelTimeout = deps.clock.timer(deps.turnTimeoutMs, () => controller.abort(new TurnAborted("timeout")));
    try {
      const stopped = row.id === lane.stopBefore ? lane.stopped : 0;
      await deps.run({ row, rows, overflow, signal: controller.signal, stopped, hasMore: () => lane.more });
    } finally {
      cancelTimeout();
      release();
    }
  };

  /** More may come: until then, or until something did. */
  const waitForMore = async (lane: Lane, row: InboxRow, ms: number): Promise<void> => {
    lane.more = true;
    const cut = new AbortController();
    lane.waiting = { row, cut };
    const closed = (): void => cut.abort();
    closing.signal.addEventListener("abort", closed, { once: true });
    await deps.clock.sleep(ms, cut.signal).catch(() => {});
    closing.signal.removeEventListener("abort", closed);
    lane.waiting = undefined;
  };

  /** Does what is next. `lane.more` then says whether there may be another thing to do. */
  const step = async (sessionKey: string, lane: Lane, given: InboxRow | undefined): Promise<void> => {
    if (given !== undefined) return runStep(lane, { do: "run", rows: [given], overflow: [], superseded: false, more: false });
    lane.more = false;
    const next = await deps.look(sessionKey, lane.previous);
    // What came or was stopped during the look is seen by the next one.
    if (next.do === "run") await runStep(lane, next);
    else if (next.do === "wait") {
      if (lane.more) return;
      if (isStopped(lane, next.row)) await endStopped(lane, [next.row]);
      else await waitForMore(lane, next.row, next.ms);
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
    const lane: Lane = {
      more: false,
      current: undefined,
      waiting: undefined,
      previous: undefined,
      stopBefore: undefined,
      stopped: 0,
      done: Promise.resolve(),
    };
    lanes.set(sessionKey, lane);
    lane.done = drain(sessionKey, lane, row);
  };

  return {
    wake(sessionKey, row) {
      if (closing.signal.aborted) return;
      const lane = lanes.get(sessionKey);
      if (lane) {
        lane.more = true;
        lane.waiting?.cut.abort();
      } else start(sessionKey, row);
    },
    running: (sessionKey) => {
      const lane = lanes.get(sessionKey);
      return lane?.current?.rows[0] ?? lane?.waiting?.row;
    },
    answering: (sessionKey) => lanes.get(sessionKey)?.current?.rows ?? [],
    stop(sessionKey, before) {
      const lane = lanes.get(sessionKey);
      if (!lane) return;
      lane.stopBefore = before;
      lane.stopped = 0;
      lane.waiting?.cut.abort();
      const head = lane.current?.rows[0];
      if (head !== undefined && head.id < before) {
        lane.stopped = 1;
        lane.current!.controller.abort(new TurnAborted("user"));
      }
    },
    supersede(sessionKey, by) {
      const current = lanes.get(sessionKey)?.current;
      const head = current?.rows[0];
      if (head !== undefined && head.id < by) current!.controller.abort(new TurnAborted("superseded"));
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
