/** A list that keeps only its newest entries, so that a long run cannot eat the memory. */
export class BoundedLog<T> {
  readonly #limit: number;
  #entries: T[] = [];
  #start = 0;

  /** `limit`: how many entries are kept, at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many entries are kept now. */
  get size(): number {
    return this.#entries.length - this.#start;
  }

  /** Adds an entry and drops the oldest one when the log is full. */
  push(entry: T): void {
    this.#entries.push(entry);
    if (this.size > this.#limit) this.#start += 1;
    // Compact rarely: moving the array on each push would make a full log quadratic.
    if (this.#start > this.#limit) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The kept entries, oldest first; a copy. */
  toArray(): T[] {
    return this.#entries.slice(this.#start);
  }

  /** Looks for the newest entry that fits. */
  findLast(fits: (entry: T) => boolean): T | undefined {
    for (let at = this.#entries.length - 1; at >= this.#start; at -= 1) {
      const entry = this.#entries[at];
      if (entry !== undefined && fits(entry)) return entry;
    }
    return undefined;
  }
}

/** Drops the oldest entries of a map or a set until `limit` are left. */
export function dropOldest<K>(
  collection: { readonly size: number; keys(): IterableIterator<K>; delete(key: K): boolean },
  limit: number,
): void {
  for (const oldest of collection.keys()) {
    if (collection.size <= limit) return;
    collection.delete(oldest);
  }
}
