/** Changes of accounts, one after the other for each account. */
export interface ChangeQueue {
  /**
   * Runs a change after the earlier ones with the same key. `enough` aborts when a later change waits or the queue closes: whatever the
   * change waits for is not wanted any more.
   */
  add(key: string, change: (enough: AbortSignal) => Promise<void>): void;
  closed(): boolean;
  /** Ends every wait and resolves when no change is under way. */
  close(): Promise<void>;
}

/** Creates an empty queue. A change that rejects does not hold up the next. */
export function createChangeQueue(): ChangeQueue {
  const queues = new Map<string, { readonly enough: AbortController; readonly done: Promise<void> }>();
  let closed = false;
  return {
    add(key, change) {
      const earlier = queues.get(key);
      earlier?.enough.abort();
      const enough = new AbortController();
      if (closed) enough.abort();
      const done = (earlier?.done ?? Promise.resolve())
        .then(() => change(enough.signal))
        .catch(() => {})
        .then(() => {
          if (queues.get(key)?.enough === enough) queues.delete(key);
        });
      queues.set(key, { enough, done });
    },
    closed: () => closed,
    async close() {
      closed = true;
      for (const { enough } of queues.values()) enough.abort();
      await Promise.all([...queues.values()].map(({ done }) => done));
    },
  };
}
