import type { ChannelPlugin, ConnectingChannel } from "./channel.ts";
import type { ManyToken, Token } from "./tokens.ts";

/** The integer that says which contracts this SDK has. Raised when a plugin written for an older one would break. */
export const API_VERSION = 1;

/** What a plugin gets to register with. Everything it registers is undone when the plugin stops. */
export interface PluginContext {
  readonly plugin: string;
  /** Provides the one value of a token. A second provider is a start-up error that names both. */
  provide<T>(token: Token<T>, value: T): void;
  /** Adds one value to a token with many. A duplicate id is a start-up error that names both plugins. */
  contribute<T>(token: ManyToken<T>, value: T): void;
}

/** A plugin: a name, the SDK it was written for, and what it registers. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly apiVersion: number;
  register(context: PluginContext): void;
}

/** Types a plugin and stamps the SDK's API version. */
export function definePlugin(plugin: Omit<Plugin, "apiVersion"> & { readonly apiVersion?: number }): Plugin {
  return { apiVersion: API_VERSION, ...plugin };
}

/** Types a channel: its transport and renderer get exactly what its schema promises. */
export function defineChannel<Config>(channel: ConnectingChannel<Config>): ConnectingChannel<Config>;
export function defineChannel<Config>(channel: ChannelPlugin<Config>): ChannelPlugin<Config>;
export function defineChannel<Config>(channel: ChannelPlugin<Config>): ChannelPlugin<Config> {
  return channel;
}
