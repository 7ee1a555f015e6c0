import { setImmediate } from "node:timers";

/** One round of the event loop: promises settle, and what is ready for I/O runs. */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until a condition holds, for things that have no event of their own; fails with `what` after ten seconds. For tests only. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await turnOfLoop();
  }
}
