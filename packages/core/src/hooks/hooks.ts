import { type Clock, describeError, type FilterHooks, type Hooks, type Logger, type ObserveHooks } from "@trunkline/plugin-sdk";

/** Time that one filter has, in ms. */
const FILTER_TIMEOUT_MS = 2000;

type Observer = (event: never) => void | Promise<void>;
type Filter = (value: never) => unknown;

/** Creates the hooks of a gateway. A failing observer is logged; a failing or slow filter drops the value (fails closed). */
export function createHooks(clock: Clock, logger: Logger): Hooks {
  const observers = new Map<string, Set<Observer>>();
  const filters = new Map<string, Set<Filter>>();
  return {
    observe: (name, observer) => add(observers, name, observer),
    filter: (name, filter) => add(filters, name, filter),
    emit(name, event) {
      for (const observer of observers.get(name) ?? []) {
        const call = observer as (event: ObserveHooks[typeof name]) => void | Promise<void>;
        Promise.resolve()
          .then(() => call(event))
          .catch((error: unknown) => logger.warn({ hook: name, error: describeError(error) }, "a hook failed"));
      }
    },
    async apply(name, value) {
      let current: FilterHooks[typeof name] | null = value;
      for (const filter of filters.get(name) ?? []) {
        if (current === null) break;
        const call = filter as (
          value: FilterHooks[typeof name],
        ) => FilterHooks[typeof name] | null | Promise<FilterHooks[typeof name] | null>;
        try {
          current = await withTimeout(Promise.resolve(call(current)), clock);
        } catch (error) {
          logger.warn({ hook: name, error: describeError(error) }, "a filter hook failed; the value is dropped");
          current = null;
        }
      }
      return current;
    },
  };
}

function add<Value>(map: Map<string, Set<Value>>, name: string, value: Value): () => void {
  const set = map.get(name) ?? new Set();
  map.set(name, set.add(value));
  return () => set.delete(value);
}

function withTimeout<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(FILTER_TIMEOUT_MS, () => reject(new TypeError(`no answer within ${FILTER_TIMEOUT_MS} ms`)));
    work.then(resolve, reject).finally(cancel);
  });
}
