import { createModelRegistry, type ModelRegistry } from "@trunkline/core";
import {
  type AgentEvent,
  type AgentRun,
  type AgentRuntime,
  definePlugin,
  type GatewayConfig,
  type ModelProvider,
  MODELS,
} from "@trunkline/plugin-sdk";
import type { Container } from "@trunkline/plugin-sdk/container";
import { VERSION } from "./version.ts";

/** The agent runtime over the model providers of the running configuration. */
export interface ModelRuntime extends AgentRuntime {
  /** Makes the providers that a configuration names. Of those that exist only the `changed` ones are made anew; what throws changes nothing. */
  use(config: GatewayConfig, changed: readonly string[]): void;
  /** Closes all providers. */
  close(): Promise<void>;
}

export interface ModelRuntimeOptions {
  /** Holds the providers that are not configured. */
  readonly container: Container;
  readonly makeProvider: (id: string, config: GatewayConfig) => ModelProvider;
  readonly makeLoop: (models: ModelRegistry) => AgentRuntime;
}

/** The providers of one configuration, and the runs that began with them. */
interface Generation {
  readonly providers: readonly ModelProvider[];
  readonly loop: AgentRuntime;
  runs: number;
}

/**
 * Creates the runtime, with no configured provider yet. A run keeps the providers that it began with until it ends, whatever the
 * configuration becomes meanwhile; a provider is closed when the last run that may ask it is over.
 */
export function createModelRuntime({ container, makeProvider, makeLoop }: ModelRuntimeOptions): ModelRuntime {
  let configured: ReadonlyMap<string, ModelProvider> = new Map();
  let unregister = (): void => {};
  const generations = new Set<Generation>();
  let current = add();

  function add(): Generation {
    const providers = container.all(MODELS);
    const generation = { providers, loop: makeLoop(createModelRegistry(providers)), runs: 0 };
    generations.add(generation);
    return generation;
  }

  const dropUnused = (): void => {
    for (const old of generations) {
      if (old === current || old.runs > 0) continue;
      generations.delete(old);
      const needed = new Set([...generations].flatMap(({ providers }) => providers));
      // Nobody asks it any more, so nobody has to know when closing it fails.
      for (const provider of old.providers) if (!needed.has(provider)) void close(provider);
    }
  };

  async function* during(generation: Generation, run: AgentRun): AsyncGenerator<AgentEvent> {
    generation.runs += 1;
    try {
      yield* generation.loop.run(run);
    } finally {
      generation.runs -= 1;
      dropUnused();
    }
  }

  return {
    run: (run) => during(current, run),
    seesImages: (models) => current.loop.seesImages?.(models) ?? true,
    use(config, changed) {
      const before = configured;
      const next = new Map(
        Object.keys(config.providers).map(
          (id) => [id, (changed.includes(id) ? undefined : before.get(id)) ?? makeProvider(id, config)] as const,
        ),
      );
      unregister();
      try {
        unregister = container.register(pluginOf(next));
        current = add();
      } catch (error) {
        unregister();
        unregister = container.register(pluginOf(before));
        throw error;
      }
      configured = next;
      dropUnused();
    },
    async close() {
      await Promise.all([...new Set([...generations].flatMap(({ providers }) => providers))].map(close));
    },
  };
}

function pluginOf(providers: ReadonlyMap<string, ModelProvider>) {
  return definePlugin({
    name: "configured providers",
    version: VERSION,
    register(context) {
      for (const provider of providers.values()) context.contribute(MODELS, provider);
    },
  });
}

async function close(provider: ModelProvider): Promise<void> {
  await provider.close?.().catch(() => {});
}
