import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CHANNELS, type ChannelPlugin, type ConfigSnapshot, MODELS, type Plugin } from "@trunkline/plugin-sdk";
import { type Container, createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../channels.ts";
import { BUILT_IN_PROVIDERS } from "../config/builtin.ts";
import type { ConfigTree } from "../config/config-tree.ts";
import { formatIssues } from "../config/issue.ts";
import { type ConfigOriginFiles, loadConfig, type LoadedConfig } from "../config/load.ts";
import type { CliIo } from "./io.ts";

/** Options that say which gateway is meant. */
export interface ConfigOptions {
  readonly config?: string;
  readonly data?: string;
}

/** Used when there is one and `--config` does not say otherwise. */
export const DEFAULT_CONFIG_FILE = "config/trunkline.yaml";

export interface Loaded {
  readonly file: string | undefined;
  readonly container: Container;
  // oxlint-disable-next-line typescript/no-explicit-any -- any channel's config type
  readonly channels: readonly ChannelPlugin<any>[];
  readonly snapshot: ConfigSnapshot;
  /** As it is written; undefined for the built-in configuration. */
  readonly tree: ConfigTree | undefined;
  readonly warnings: number;
  readonly from: ConfigOriginFiles;
  /** Reads the same files again, as they are then. */
  reload(revision: number): LoadedConfig;
}

/** A configuration as it was found, with the channels that it was read for. */
export interface Found extends Pick<Loaded, "file" | "container" | "channels" | "reload"> {
  readonly loaded: LoadedConfig;
}

/** The configuration file or folder that the options mean; undefined for the built-in demo. */
export function configFileOf({ config }: ConfigOptions): string | undefined {
  return config ?? (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : undefined);
}

/**
 * Reads the configuration that the options mean and prints nothing; its secrets are known to `io` from then on. The configuration may
 * name the channels and model providers of `plugins`.
 */
export async function findConfig(options: ConfigOptions, io: CliIo, plugins: readonly Plugin[] = []): Promise<Found> {
  const container = createContainer();
  await registerChannels(container);
  for (const plugin of plugins) container.register(plugin);
  const channels = container.all(CHANNELS);
  const knownProviders = [...BUILT_IN_PROVIDERS, ...container.all(MODELS).map(({ id }) => id)];
  const file = configFileOf(options);
  const load = (revision: number): LoadedConfig =>
    loadConfig({
      file: file === undefined ? undefined : resolve(file),
      env: process.env,
      channels,
      knownProviders,
      revision,
    });
  const loaded = load(1);
  for (const secret of loaded.secrets) io.redactor.add(secret);
  return { file, container, channels, loaded, reload: load };
}

/** Loads the configuration and prints what is wrong with it: all of it, at once. Undefined when there are errors. */
export async function loadForCli(options: ConfigOptions, io: CliIo, plugins: readonly Plugin[] = []): Promise<Loaded | undefined> {
  const { loaded, ...found } = await findConfig(options, io, plugins);
  if (loaded.warnings.length > 0) io.err(formatIssues(loaded.warnings));
  if (!loaded.ok) {
    io.err(formatIssues(loaded.issues));
    return undefined;
  }
  const { snapshot, tree, warnings, from } = loaded;
  return { ...found, snapshot, tree, warnings: warnings.length, from };
}
