import type { AgentRuntime } from "./agent.ts";
import type { ChannelPlugin } from "./channel.ts";
import type { Clock } from "./clock.ts";
import type { CommandDefinition } from "./command.ts";
import type { ConfigSource } from "./config.ts";
import type { Hooks } from "./hooks.ts";
import type { Ids } from "./ids.ts";
import type { Logger } from "./logger.ts";
import type { ModelProvider } from "./model.ts";
import type { Store } from "./store.ts";
import type { ToolDefinition } from "./tool.ts";

/** A name in the container that carries the type of what is behind it. Compare by identity. */
export interface Token<T> {
  readonly name: string;
  readonly symbol: symbol;
  /** Never present; it carries the type. */
  readonly __type?: T;
}

/** A token with many values, each with an id that is unique among them. */
export interface ManyToken<T> extends Token<T> {
  readonly many: true;
  readonly idOf: (value: T) => string;
}

/** Creates a token with one value. */
export function createToken<T>(name: string): Token<T> {
  return { name, symbol: Symbol(name) };
}

/** Creates a token with many values. `idOf` gives what must be unique. */
export function createManyToken<T>(name: string, idOf: (value: T) => string): ManyToken<T> {
  return { name, symbol: Symbol(name), many: true, idOf };
}

export const CONFIG: Token<ConfigSource> = createToken("CONFIG");
export const CLOCK: Token<Clock> = createToken("CLOCK");
export const IDS: Token<Ids> = createToken("IDS");
export const LOGGER: Token<Logger> = createToken("LOGGER");
export const STORE: Token<Store> = createToken("STORE");
export const HOOKS: Token<Hooks> = createToken("HOOKS");
export const AGENT_RUNTIME: Token<AgentRuntime> = createToken("AGENT_RUNTIME");

/** A database that `store.url` can name by its scheme. */
export interface StoreFactory {
  readonly scheme: string;
  open(url: string): Promise<Store>;
}

// Any channel's config type: what the container holds is handed only to the channel itself.
// oxlint-disable-next-line typescript/no-explicit-any
export const CHANNELS: ManyToken<ChannelPlugin<any>> = createManyToken("CHANNELS", (channel) => channel.id);
// oxlint-disable-next-line typescript/no-explicit-any
export const TOOLS: ManyToken<ToolDefinition<any>> = createManyToken("TOOLS", (tool) => tool.name);
export const COMMANDS: ManyToken<CommandDefinition> = createManyToken("COMMANDS", (command) => command.name);
export const MODELS: ManyToken<ModelProvider> = createManyToken("MODELS", (provider) => provider.id);
export const STORES: ManyToken<StoreFactory> = createManyToken("STORES", (store) => store.scheme);
