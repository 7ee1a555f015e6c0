import { type ConfigPath, configJsonSchema, findNearest, formatPath, isSecretPlace, isUrlPlace, schemaAt } from "@trunkline/core";
import { type ChannelPlugin, type ConfigOrigin, type ConfigSnapshot, type GatewayConfig, GatewayError } from "@trunkline/plugin-sdk";
import { type ConfigTree, originOf } from "./config-tree.ts";
import { parseConfigPath } from "./paths.ts";

/**
 * Who decides a value. One rule everywhere, the later wins: built-in < defaults (`agents.defaults`, `markdown`) < channel (`channels.X.defaults`, or what suits
 * it) < account < conversation (a group's entry) < agent < session (a command in the chat, in no file). `configuration` is a key that only the
 * file decides.
 */
export type ConfigLevel = "built-in" | "defaults" | "channel" | "account" | "conversation" | "agent" | "configuration";

/** A value of the running configuration and who decided it. */
export interface ConfigValue {
  /** Dotted, with positions instead of ids. */
  readonly path: string;
  /** Secrets are `[secret]`; undefined when nothing is set. */
  readonly value: unknown;
  readonly level: ConfigLevel;
  /** Where it is written; undefined when it is nowhere. */
  readonly origin: ConfigOrigin | undefined;
  /** The key that it came from, when that is another one: `agents.defaults.thinking`. */
  readonly from: string | undefined;
  /** Environment variables in it. */
  readonly variables: readonly string[];
}

export interface LookupContext {
  readonly snapshot: ConfigSnapshot;
  /** Undefined for the built-in configuration. */
  readonly tree: ConfigTree | undefined;
  readonly channels: readonly ChannelPlugin[];
}

/** Looks a value up as it counts, defaults filled in. Throws CONFIG_PATH_UNKNOWN. */
export function lookUpConfig(text: string, { snapshot, tree, channels }: LookupContext): ConfigValue {
  const view = viewOf(snapshot.config);
  const path = parseConfigPath(text, view);
  const value = valueAt(view, path);
  if (value === undefined && !isKnown(path, channels)) throw unknownPath(text, path, view);
  const source = sourceOf(path, tree);
  const place = source && tree?.places.get(formatPath(source));
  return {
    path: formatPath(path),
    value: maskSecrets(value, path, channels),
    level: source === undefined ? builtInLevel(path, value) : place?.by === undefined ? levelOf(source) : "channel",
    origin: place && originOf(place),
    from: place?.by ?? (source === undefined || formatPath(source) === formatPath(path) ? undefined : formatPath(source)),
    variables: (source && tree?.written.get(formatPath(source))?.variables) ?? [],
  };
}

/** The configuration as it is written: an account's own keys beside the common ones. */
function viewOf(config: GatewayConfig): unknown {
  const channels = Object.entries(config.channels).map(([channel, { accounts }]) => {
    const plain = Object.entries(accounts).map(([account, { own, ...common }]) => [account, { ...own, ...common }]);
    return [channel, { accounts: Object.fromEntries(plain) }];
  });
  return { ...config, channels: Object.fromEntries(channels) };
}

/** The path at which the value was written: its own, or the one that stands in for it. Undefined: nowhere. */
function sourceOf(path: ConfigPath, tree: ConfigTree | undefined): ConfigPath | undefined {
  return [path, ...standIns(path)].find((candidate) => tree?.places.has(formatPath(candidate)));
}

function standIns(path: ConfigPath): readonly ConfigPath[] {
  const [section, second, third, , fifth] = path;
  if (section === "agents" && second === "list" && path.length > 3) return [["agents", "defaults", ...path.slice(3)]];
  return section === "channels" && third === "accounts" && fifth === "markdown" ? [["markdown", ...path.slice(5)]] : [];
}

function levelOf(path: ConfigPath): ConfigLevel {
  const [section, second, third, , fifth] = path;
  if (section === "agents") return second === "list" ? "agent" : "defaults";
  if (section === "markdown") return "defaults";
  if (section !== "channels") return "configuration";
  if (third !== "accounts" || path.length < 4) return "channel";
  return fifth === "groups" && path.length > 5 ? "conversation" : "account";
}

/** What an account does not say, its channel may have decided: the policy of one that signs people in, its way with tables. */
function builtInLevel(path: ConfigPath, value: unknown): ConfigLevel {
  const [section, , , , key, last] = path;
  const byChannel = (key === "markdown" && last === "tables") || (key === "dmPolicy" && value === "open");
  return section === "channels" && byChannel ? "channel" : "built-in";
}

function maskSecrets(value: unknown, path: ConfigPath, channels: readonly ChannelPlugin[]): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => maskSecrets(entry, [...path, index], channels));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, maskSecrets(entry, [...path, key], channels)]));
  }
  if (value === undefined || value === null) return value;
  if (isSecretPlace(path, channels)) return "[secret]";
  return isUrlPlace(path) && typeof value === "string" ? value.replace(/(?<=:\/\/).*(?=@)/s, "[secret]") : value;
}

/** Whether the format has such a key, set or not. */
function isKnown(path: ConfigPath, channels: readonly ChannelPlugin[]): boolean {
  const schema = configJsonSchema(channels);
  const isAccount = path[0] === "channels" && path.length > 3;
  return path.length > 0 && schemaAt(schema, path) !== undefined && (!isAccount || path.length > 4);
}

function unknownPath(text: string, path: ConfigPath, view: unknown): GatewayError {
  const depth = path.findIndex((_, length) => valueAt(view, path.slice(0, length + 1)) === undefined);
  const around = valueAt(view, path.slice(0, Math.max(depth, 0)));
  const known = typeof around === "object" && around !== null ? namesIn(around) : [];
  const nearest = findNearest(String(path[Math.max(depth, 0)] ?? ""), known);
  const meant = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  const hint = known.length === 0 ? undefined : `${meant}There: ${known.slice(0, 40).join(", ")}.`;
  return new GatewayError("CONFIG_PATH_UNKNOWN", { detail: { path: text.slice(0, 200) }, ...(hint === undefined ? {} : { hint }) });
}

/** What can follow in a path: keys, or the ids of a list's entries. */
function namesIn(around: object): readonly string[] {
  if (!Array.isArray(around)) return Object.keys(around);
  return around.map((entry: unknown, index) => {
    const id = valueAt(entry, ["id"]);
    return typeof id === "string" ? id : String(index);
  });
}

function valueAt(tree: unknown, path: ConfigPath): unknown {
  let here = tree;
  for (const part of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[part];
  }
  return here;
}
