/** An abort of one's own that also happens when the followed signal aborts. */
export interface Follower {
  readonly controller: AbortController;
  /** Ends the following. */
  release(): void;
}

const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * Follows a signal with a new controller. However many follow, the signal gets one listener: a signal that lives as long as its account
 * and is handed to every call would collect them, and Node warns from the eleventh on.
 */
export function followAbort(signal: AbortSignal | undefined): Follower {
  const controller = new AbortController();
  if (signal === undefined) return { controller, release: () => undefined };
  if (signal.aborted) controller.abort(signal.reason);
  const group = followers.get(signal) ?? listen(signal);
  group.add(controller);
  return { controller, release: () => void group.delete(controller) };
}

function listen(signal: AbortSignal): Set<AbortController> {
  const group = new Set<AbortController>();
  followers.set(signal, group);
  const abortAll = (): void => {
    for (const controller of group) controller.abort(signal.reason);
  };
  signal.addEventListener("abort", abortAll, { once: true });
  return group;
}
