import type { StoreQuery } from "@trunkline/plugin-sdk";

/** Statements that may wait for a flush; then the next commit has to be flushed. They are kept in memory until then. */
const MOST_STATEMENTS = 2_000;

/**
 * What the last commits did that the server has not flushed for sure: a server that crashes forgets some of them, although it said
 * that they were committed, and this gateway goes on with what it knows. Run again in their order, on the state that they found, the
 * same statements have the same effect: nobody else writes.
 */
export class PostgresJournal {
  #commits: (readonly StoreQuery[])[] = [];
  #current: StoreQuery[] = [];
  #savepoint = 0;
  #kept = 0;

  begin(): void {
    this.#current = [];
    this.#savepoint = 0;
  }

  ran(query: StoreQuery): void {
    this.#current.push(query);
  }

  savepoint(): void {
    this.#savepoint = this.#current.length;
  }

  undo(): void {
    this.#current.length = this.#savepoint;
  }

  /** A flushed commit flushes those before it too. */
  committed(durable: boolean): void {
    if (durable) this.#commits = [];
    else this.#commits.push(this.#current);
    this.#kept = durable ? 0 : this.#kept + this.#current.length;
    this.#current = [];
  }

  /** So much is kept that the next commit should be flushed. */
  get isFull(): boolean {
    return this.#kept > MOST_STATEMENTS;
  }

  /** The statements of the newest commits, so many of them; undefined when they are not kept. */
  last(count: number): readonly StoreQuery[] | undefined {
    return count > this.#commits.length ? undefined : this.#commits.slice(this.#commits.length - count).flat();
  }
}
