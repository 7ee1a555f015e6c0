import type { Clock } from "../../clock.ts";

/** Resolves `waitFor`s when something happened; nobody polls. */
export class Signal {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #scheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells the waiting ones that something happened. Many events of one tick cause one check. */
  notify(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const check of this.#waiting) check();
    });
  }

  /**
   * Resolves with the first value of `predicate` that is neither false nor undefined, checked now and after each event.
   * @throws RangeError after `timeoutMs`, with `describe()` in its message; or whatever the predicate throws.
   */
  waitFor<T>(predicate: () => T | false | undefined, timeoutMs: number, describe: () => string): Promise<T> {
    return new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      const settle = (act: () => void): void => {
        this.#waiting.delete(check);
        cancel();
        act();
      };
      const check = (): void => {
        try {
          const value = predicate();
          if (value !== false && value !== undefined) settle(() => resolve(value));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      this.#waiting.add(check);
      cancel = this.#clock.timer(timeoutMs, () => settle(() => reject(new RangeError(`Not seen within ${timeoutMs} ms. ${describe()}`))));
      check();
    });
  }
}
