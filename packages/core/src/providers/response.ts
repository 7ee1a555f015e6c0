import type { Clock, GatewayError } from "@trunkline/plugin-sdk";
import { startDeadlines, type CallTimeouts, type TimeoutPhase } from "./deadlines.ts";
import type { HttpHeaders, HttpPool } from "./http.ts";
import { createPieces } from "./pieces.ts";

/** Makes the errors of a broken call. */
export interface ResponseErrors {
  timeout(phase: TimeoutPhase, ms: number): GatewayError;
  network(cause: unknown, phase: TimeoutPhase): GatewayError;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/** An HTTP answer, read piece by piece by one reader. Every wait ends by an answer, a deadline, a broken connection or the signal. */
export interface Response {
  /** Status and headers. */
  head(): Promise<ResponseHead>;
  /** The next piece of the body; undefined at its end. Pieces that arrived before the connection broke come first. */
  next(): Promise<Buffer | undefined>;
  /** From now on waits at most `ms` between two pieces: for a tail that is welcome, not needed. */
  hurry(ms: number): void;
  /**
   * Leaves the answer. `whole` says that nothing of it is missing: then the connection gets a moment to finish,
   * so that the next call can use it. Otherwise it is cut.
   */
  close(whole: boolean): void;
}

export interface ResponseOptions {
  readonly pool: HttpPool;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly errors: ResponseErrors;
}

/** How long a finished answer may take to end its connection politely, in ms. */
const DRAIN_MS = 1000;

/** Sends the request and gives access to its answer. */
export function openResponse(options: ResponseOptions): Response {
  const { clock, signal, errors } = options;
  let head: ResponseHead | undefined;
  let state: "open" | "draining" | "ended" | Failure = "open";
  let wake = (): void => {};
  let drained = (): void => {};

  const leave = (next: "ended" | Failure): void => {
    if (state === "open") state = next;
    signal.removeEventListener("abort", onAbort);
    deadlines.cancel();
    drained();
    wake();
  };
  const onAbort = (): void => {
    flight.abort();
    leave({ error: signal.reason, atOnce: true });
  };
  const deadlines = startDeadlines(options.timeouts, clock, (phase, ms) => {
    flight.abort();
    leave({ error: phase === "connectMs" ? errors.network(undefined, phase) : errors.timeout(phase, ms), atOnce: false });
  });
  const flight = options.pool.post(options.path, options.headers, options.body, {
    sent: () => deadlines.enter("firstByteMs"),
    head(status, headers) {
      head = { status, headers };
      wake();
    },
    data(chunk) {
      if (state !== "open") return;
      if (!pieces.paused) deadlines.enter("idleMs");
      pieces.push(chunk);
      wake();
    },
    end: () => leave("ended"),
    failed: (error) => leave({ error: errors.network(error, deadlines.phase()), atOnce: false }),
  });
  const pieces = createPieces({
    pause() {
      deadlines.hold();
      flight.pause();
    },
    resume() {
      deadlines.enter("idleMs");
      flight.resume();
    },
  });
  signal.addEventListener("abort", onAbort, { once: true });
  const change = (): Promise<void> => new Promise((resolve) => (wake = resolve));

  return {
    async head() {
      for (;;) {
        if (head !== undefined) return head;
        if (typeof state === "object") throw state.error;
        await change();
      }
    },
    async next() {
      for (;;) {
        if (typeof state === "object" && state.atOnce) throw state.error;
        const piece = pieces.shift();
        if (piece !== undefined) return piece;
        if (typeof state === "object") throw state.error;
        if (state === "ended") return undefined;
        await change();
      }
    },
    hurry: (ms) => deadlines.limitIdle(ms),
    close(whole) {
      signal.removeEventListener("abort", onAbort);
      deadlines.cancel();
      pieces.clear();
      if (state !== "open") return;
      if (!whole) return flight.abort();
      state = "draining";
      flight.resume();
      drained = clock.timer(DRAIN_MS, () => flight.abort());
    },
  };
}

interface Failure {
  readonly error: unknown;
  /** Goes before pieces that wait. */
  readonly atOnce: boolean;
}
