import { type Clock, describeError, GatewayError, type Logger, toGatewayError } from "@trunkline/plugin-sdk";
import { claimSchema, endLostSession, inUseError, markText, readMark, type WriterMark, writeFirstMark } from "./postgres-claim.ts";
import type { PostgresJournal } from "./postgres-journal.ts";
import { type PostgresOptions, PostgresSession, type ServerProcess } from "./postgres-session.ts";

export interface PostgresHoldOptions extends PostgresOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly journal: PostgresJournal;
  /** Called once, when this gateway must not go on: the database is no longer as it left it. */
  readonly onEnded?: (error: GatewayError) => void;
}

/** A lock that a gateway left behind when it was killed is free as soon as the server notices; ms. */
const FIRST_CLAIM_MS = 1_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * This gateway's hold on its schema: one session with the lock, through which everything is written. When the session is lost, a new
 * one is made, and the gateway writes nothing until that has the lock.
 */
export class PostgresHold {
  readonly #options: PostgresHoldOptions;
  readonly #closing = new AbortController();
  #session: PostgresSession | undefined;
  /** The server process of the last session, until a new one has the lock. */
  #last: ServerProcess | undefined;
  /** The number of the last commit that is known to be stored. */
  #mark: WriterMark | undefined;
  #trouble: GatewayError | undefined;
  #ended: GatewayError | undefined;
  #awaySince = 0;
  #patient = true;
  #back: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: PostgresHoldOptions) {
    this.#options = options;
  }

  /** The first session. Rejects with what a person has to change, STORE_IN_USE when another gateway has the schema. */
  async open(): Promise<void> {
    const { clock } = this.#options;
    const session = await PostgresSession.open(this.#options, () => this.#lost());
    const start = clock.monotonic();
    try {
      for (let pause = FIRST_PAUSE_MS; !(await claimSchema(session, this.#options.schema)); pause *= 2) {
        if (clock.monotonic() - start > FIRST_CLAIM_MS) throw await this.#inUse(session);
        await clock.sleep(pause);
      }
    } catch (error) {
      await session.end();
      throw error;
    }
    this.#use(session);
  }

  async startMarks(): Promise<void> {
    this.#mark = await writeFirstMark(await this.session(0));
  }

  trouble(): GatewayError | undefined {
    return this.#ended ?? this.#trouble;
  }

  /** The session that has the lock. While it is lost, waits for the next one: for so many ms after the loss, or without end. */
  async session(patienceMs = Number.POSITIVE_INFINITY): Promise<PostgresSession> {
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      if (this.#session !== undefined) return this.#session;
      const left = Math.min(patienceMs, this.#awaySince + patienceMs - this.#options.clock.monotonic());
      if (left <= 0 || !this.#patient) throw this.#trouble ?? this.#closedError();
      await this.#waitForChange(left);
    }
  }

  /** The mark of a commit that is about to be made; undefined before marks are made. */
  nextMark(): WriterMark | undefined {
    return this.#mark && { ...this.#mark, commits: this.#mark.commits + 1 };
  }

  acknowledge(mark: WriterMark): void {
    this.#mark = mark;
  }

  /** Whether a commit without an answer took place, as the database showed when it came back. */
  isStored(mark: WriterMark): boolean {
    return this.#mark !== undefined && this.#mark.commits >= mark.commits;
  }

  giveUp(): void {
    this.#patient = false;
    this.#changed();
  }

  poolerError(): GatewayError {
    const { name } = this.#options.address;
    const reason = "a pooler in transaction mode stands between it and the gateway";
    const hint = "Name PostgreSQL itself in store.url, or set the pooler to session mode: the gateway's lock lives in its session.";
    const error = new GatewayError("STORE_UNSUITABLE", { detail: { path: name, reason }, hint });
    this.#end(error);
    return error;
  }

  async close(): Promise<void> {
    this.#ended ??= this.#closedError();
    this.#closing.abort();
    this.#changed();
    const session = this.#session;
    this.#session = undefined;
    await session?.end();
  }

  #lost(): void {
    // Before the first claim its opener hears of it.
    if (this.#session === undefined || this.#ended !== undefined) return;
    this.#session = undefined;
    this.#awaySince = this.#options.clock.monotonic();
    this.#note(
      new GatewayError("STORE_UNREACHABLE", {
        detail: { path: this.#options.address.name, reason: "the connection was lost" },
        retryable: true,
      }),
    );
    void this.#recover();
  }

  async #recover(): Promise<void> {
    const { clock, logger, address } = this.#options;
    const { signal } = this.#closing;
    for (let pause = FIRST_PAUSE_MS; this.#ended === undefined; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.#reopen();
        this.#trouble = undefined;
        this.#changed();
        if (this.#session !== undefined) logger?.info({ store: address.name }, "the database is back");
        return;
      } catch (error) {
        this.#note(toGatewayError(error, "STORE_FAILED"));
      }
      await clock.sleep(pause, signal).catch(() => {});
    }
  }

  /** A new session with the lock, on a database that has all that this gateway was told is stored. */
  async #reopen(): Promise<void> {
    const session = await PostgresSession.open(this.#options, () => this.#lost());
    try {
      await this.#takeBack(session);
      if (this.#ended !== undefined) throw this.#ended;
    } catch (error) {
      await session.end();
      throw error;
    }
    this.#use(session);
  }

  #use(session: PostgresSession): void {
    this.#session = session;
    this.#last = session.process;
  }

  async #takeBack(session: PostgresSession): Promise<void> {
    const claimed = await claimSchema(session, this.#options.schema);
    const own = this.#mark;
    const found = own && (await readMark(session));
    if (found?.gateway !== own?.gateway) throw this.#end(this.#changedError("another gateway wrote into it"));
    if (!claimed) {
      if (this.#last !== undefined) await endLostSession(session, this.#last);
      throw await this.#inUse(session);
    }
    if (own === undefined || found === undefined) return;
    if (found.commits < own.commits) await this.#repeat(session, own, own.commits - found.commits);
    else this.#mark = found;
  }

  /** Does again what the server said was committed, and forgot in a crash. */
  async #repeat(session: PostgresSession, own: WriterMark, commits: number): Promise<void> {
    const statements = this.#options.journal.last(commits);
    if (statements === undefined) throw this.#end(this.#changedError("it went back to an older state"));
    await session.simple("begin isolation level read committed");
    for (const query of statements) await session.execute(query);
    await session.simple(`${markText(own)}; commit`);
    this.#options.logger?.warn(
      { store: this.#options.address.name, commits },
      "the server forgot commits in a crash; they were made again",
    );
  }

  #inUse(session: PostgresSession): Promise<GatewayError> {
    return inUseError(session, this.#options.schema, this.#options.address.name);
  }

  #changedError(reason: string): GatewayError {
    return new GatewayError("STORE_CHANGED", { detail: { path: this.#options.address.name, reason } });
  }

  #closedError(): GatewayError {
    const hint = "The store is closed: the gateway is stopping.";
    return new GatewayError("STORE_UNAVAILABLE", { detail: { path: this.#options.address.name }, hint });
  }

  #end(error: GatewayError): GatewayError {
    if (this.#ended !== undefined) return this.#ended;
    this.#ended = error;
    this.#options.onEnded?.(error);
    this.#changed();
    return error;
  }

  /** Said once for each new reason: a long outage is not a full log. */
  #note(error: GatewayError): void {
    if (this.#ended !== undefined) return;
    if (this.#trouble?.message !== error.message) {
      this.#options.logger?.error(
        { code: error.code, error: describeError(error), hint: error.hint },
        "nothing can be stored now; it is tried again",
      );
    }
    this.#trouble = error;
  }

  #changed(): void {
    const back = this.#back;
    this.#back = undefined;
    back?.resolve();
  }

  async #waitForChange(ms: number): Promise<void> {
    if (this.#back === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => void (resolve = done));
      this.#back = { promise, resolve };
    }
    const cancel = Number.isFinite(ms) ? this.#options.clock.timer(ms, () => this.#changed()) : () => {};
    await this.#back.promise;
    cancel();
  }
}
