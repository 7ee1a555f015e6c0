import type { Clock, GatewayError } from "@trunkline/plugin-sdk";
import { startDeadlines, type CallTimeouts, type TimeoutPhase } from "./deadlines.ts";
import type { HttpHeaders, HttpListener, HttpPool } from "./http.ts";

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

/** Bytes that wait for the reader: above the first the socket pauses, below the second it goes on. */
const PAUSE_ABOVE = 256 * 1024;
const RESUME_BELOW = 64 * 1024;

/** How long a finished answer may take to end its connection politely, in ms. */
const DRAIN_MS = 1000;

/** Sends the request and gives access to its answer. */
export function openResponse(options: ResponseOptions): Response {
  const { clock, signal } = options;
  const chunks: Buffer[] = [];
  let waiting = 0;
  let paused = false;
  let head: ResponseHead | undefined;
  let ended = false;
  let draining = false;
  let drained = (): void => {};
  let failure: { readonly error: unknown; readonly atOnce: boolean } | undefined;
  let wake = (): void => {};

  const fail = (error: unknown, atOnce: boolean): void => {
    failure ??= { error, atOnce };
    deadlines.cancel();
    wake();
  };
  const deadlines = startDeadlines(options.timeouts, clock, (phase, ms) => {
    flight.abort();
    fail(phase === "connectMs" ? options.errors.network(undefined, phase) : options.errors.timeout(phase, ms), false);
  });
  const listener: HttpListener = {
    sent: () => deadlines.enter("firstByteMs"),
    head(status, headers) {
      head = { status, headers };
      wake();
    },
    data(chunk) {
      if (draining) return;
      deadlines.enter("idleMs");
      chunks.push(chunk);
      waiting += chunk.length;
      if (waiting > PAUSE_ABOVE && !paused) {
        paused = true;
        deadlines.hold();
        flight.pause();
      }
      wake();
    },
    end() {
      ended = true;
      drained();
      deadlines.cancel();
      wake();
    },
    failed(error) {
      drained();
      fail(options.errors.network(error, deadlines.phase()), false);
    },
  };
  const flight = options.pool.post(options.path, options.headers, options.body, listener);
  const onAbort = (): void => {
    flight.abort();
    fail(signal.reason, true);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const change = (): Promise<void> => new Promise((resolve) => (wake = resolve));

  return {
    async head() {
      while (head === undefined) {
        if (failure !== undefined) throw failure.error;
        await change();
      }
      return head;
    },
    async next() {
      for (;;) {
        if (failure?.atOnce === true) throw failure.error;
        const chunk = chunks.shift();
        if (chunk !== undefined) {
          waiting -= chunk.length;
          if (paused && waiting < RESUME_BELOW) {
            paused = false;
            deadlines.enter("idleMs");
            flight.resume();
          }
          return chunk;
        }
        if (failure !== undefined) throw failure.error;
        if (ended) return undefined;
        await change();
      }
    },
    hurry: (ms) => deadlines.limitIdle(ms),
    close(whole) {
      signal.removeEventListener("abort", onAbort);
      deadlines.cancel();
      if (ended || failure !== undefined) return;
      if (!whole) return flight.abort();
      draining = true;
      chunks.length = 0;
      flight.resume();
      drained = clock.timer(DRAIN_MS, () => flight.abort());
    },
  };
}
