import type { ModelProvider, Store, ToolDefinition, Transport } from "@trunkline/plugin-sdk";

/** How long a lazy write waits for company, ms; a death within it loses the write. */
const LAZY_MS = 5;

/**
 * The life of a process in a test: everything that it does to the world goes through here, as numbered points, and from the point of its
 * death on nothing of it happens any more, and nothing that it waits for comes.
 */
export interface Life {
  /** What was passed, in order: `commit`, `send`, `tool charge` and the like, each before and after. */
  readonly points: readonly string[];
  /** Resolves when it is dead. */
  readonly died: Promise<void>;
  /** Dies now. */
  kill(): void;
  store(store: Store): Store;
  transport(transport: Transport): Transport;
  model(model: ModelProvider): ModelProvider;
  tool<Args>(tool: ToolDefinition<Args>): ToolDefinition<Args>;
}

export interface LifeOptions {
  /** The point at which it dies: its number, from 0, or the first of that name; absent: it lives. */
  readonly dieAt?: number | string | undefined;
  /** Lazy writes are commits of their own, and points; else they wait for the next other write, and die with the process. */
  readonly eager?: boolean | undefined;
}

/** Begins the life of a process. */
export function createLife({ dieAt, eager = false }: LifeOptions = {}): Life {
  const points: string[] = [];
  let dead = false;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const never = <T>(): Promise<T> => new Promise<T>(() => {});
  const pass = (name: string): Promise<void> => {
    if (dead) return never();
    points.push(name);
    if (points.length - 1 !== dieAt && name !== dieAt) return Promise.resolve();
    dead = true;
    die();
    return never();
  };
  /** Does `work` between two points. What happens while it dies happens; nobody learns of it. */
  const between = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await pass(`before ${name}`);
    const value = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    await pass(`after ${name}`);
    if ("error" in value) throw value.error;
    return value.result;
  };

  const mortalStore = (store: Store): Store => {
    let waiting: (() => Promise<unknown>)[] = [];
    const flush = (): readonly Promise<unknown>[] => {
      const now = waiting;
      waiting = [];
      return dead ? [] : now.map((write) => write());
    };
    return {
      dialect: store.dialect,
      stats: () => store.stats(),
      close: () => store.close(),
      read: (query) => (dead ? never() : store.read(query)),
      write(unit, durability) {
        if (dead) return never();
        if (durability !== "lazy" || eager) {
          return between("commit", () => {
            flush();
            return store.write(unit, "committed");
          });
        }
        return new Promise((resolve, reject) => {
          waiting.push(() => {
            const done = store.write(unit, "committed");
            done.then(resolve, reject);
            return done;
          });
          setTimeout(flush, LAZY_MS);
        });
      },
    };
  };

  return {
    points,
    died,
    kill() {
      dead = true;
      die();
    },
    store: mortalStore,
    transport: ({ send, reconcile, ...transport }) => ({
      ...transport,
      send: (part, signal) => between("send", () => send(part, signal)),
      ...(reconcile ? { reconcile: (part, evidence, signal) => between("reconcile", () => reconcile(part, evidence, signal)) } : {}),
    }),
    model: (model) => ({
      ...model,
      async *stream(request) {
        await pass("before model");
        for await (const event of model.stream(request)) {
          yield event;
          await pass(`after model ${event.type}`);
        }
      },
    }),
    tool: (tool) => ({ ...tool, run: (args, context) => between(`tool ${tool.name}`, () => tool.run(args, context)) }),
  };
}
