import { type ChannelPlugin, type GatewayConfig, GatewayError } from "@trunkline/plugin-sdk";
import { addressProblems } from "./addresses.ts";
import { configJsonSchema, isConnecting } from "./json-schema.ts";
import { findUnknownKeys } from "./keys.ts";
import { laterProblems } from "./later.ts";
import { type OwnKeys, readOwnKeys } from "./own-keys.ts";
import { policyProblems } from "./policies.ts";
import type { ConfigContext, ConfigPath, ConfigProblem } from "./problem.ts";
import { referenceProblems } from "./references.ts";
import { resolveConfig } from "./resolve.ts";
import { IS_MISSING, schemaProblems } from "./schema-problems.ts";
import { type ConfigFile, fileSchema } from "./schema.ts";
import { accountsOf, mapOf } from "./tree.ts";
import { typeVariables } from "./variables.ts";

/** What a tree of values comes to. `config` is there exactly when nothing but warnings was found. */
export interface ConfigReading {
  readonly config?: GatewayConfig;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads a configuration from the tree that a file was parsed to: validates, checks what names point at, and fills in defaults.
 * Finds all problems at once; what one problem makes unknowable is not reported as a second one. Pure.
 */
export function readConfig(raw: unknown, everything: ConfigContext): ConfigReading {
  const context = { ...everything, channels: everything.channels.filter(isConnecting) };
  let validation = validate(raw, context);
  let shape: readonly ConfigProblem[] = [];
  if (!validation.clean) {
    // The JSON Schema takes longer to make than a valid file to check, so that a start pays for it only when there is something to explain.
    const schema = configJsonSchema(context.channels);
    validation = validate(typeVariables(raw, schema, context), context);
    shape = withoutEchoes([
      ...findUnknownKeys(validation.tree, schema).map((problem) => rendersOnly(problem, everything) ?? problem),
      ...schemaProblems(validation.issues, validation.tree, context),
      ...validation.own.flatMap(({ keys }) => keys.problems),
    ]);
  }
  const { tree, file, own } = validation;
  const rules =
    context.incomplete === true ? [] : [...addressProblems(tree), ...referenceProblems(tree, context), ...policyProblems(tree, context)];
  const problems = distinct([...shape, ...rules, ...laterProblems(tree)]);
  if (file === undefined || problems.some((problem) => problem.code !== "CONFIG_WARNING")) return { problems };
  const ownOf = new Map(own.map(({ channel, account, keys }) => [`${channel}:${account}`, keys.own]));
  const ownKeysOf = (channel: string, account: string): OwnKeys["own"] => ownOf.get(`${channel}:${account}`) ?? {};
  return { problems, config: resolveConfig(file, context.channels, ownKeysOf) };
}

/** The reason why a channel that is there cannot be configured. */
function rendersOnly({ code, path }: ConfigProblem, { channels }: ConfigContext): ConfigProblem | undefined {
  const channel = code === "CHANNEL_UNKNOWN" ? channels.find(({ id }) => id === path[1]) : undefined;
  if (channel === undefined) return undefined;
  const { message, hint = "" } = new GatewayError("CHANNEL_RENDERS_ONLY", { detail: { channel: channel.label, id: channel.id } });
  return { code: "CHANNEL_RENDERS_ONLY", path, at: "key", message, hint };
}

interface Validation {
  readonly tree: unknown;
  /** Undefined when the schema refused the tree. */
  readonly file: ConfigFile | undefined;
  readonly issues: Parameters<typeof schemaProblems>[0];
  readonly own: readonly { readonly channel: string; readonly account: string; readonly keys: OwnKeys }[];
  /** Neither the file's schema nor a channel's found anything, and every key is known. */
  readonly clean: boolean;
}

function validate(tree: unknown, context: ConfigContext): Validation {
  const parsed = fileSchema.safeParse(tree);
  const pluginOf = (channel: string): ChannelPlugin | undefined => context.channels.find((one) => one.id === channel);
  const own = accountsOf(tree).flatMap(({ channel, account, path, value }) => {
    const plugin = pluginOf(channel);
    return plugin === undefined ? [] : [{ channel, account, keys: readOwnKeys(plugin, value, path, context) }];
  });
  const known = Object.keys(mapOf(mapOf(tree)["channels"])).every((channel) => pluginOf(channel) !== undefined);
  const clean = parsed.success && known && own.every(({ keys }) => keys.problems.length === 0 && !keys.hasUnknown);
  return { tree, file: parsed.data, issues: parsed.error?.issues ?? [], own, clean };
}

/** A key is not missing when it stands there mistyped. */
function withoutEchoes(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const key = (path: ConfigPath): string => JSON.stringify(path);
  const meant = new Set(
    problems.flatMap(({ at, path, nearest }) => (at === "key" && nearest !== undefined ? [key([...path.slice(0, -1), nearest])] : [])),
  );
  return problems.filter((problem) => problem.message !== IS_MISSING || !meant.has(key(problem.path)));
}

/** One problem per place, the first found; a place inside one that is already wrong says nothing new. */
function distinct(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const errors = new Set<string>();
  const key = (path: ConfigPath): string => JSON.stringify(path);
  return problems.filter(({ path, code, at }) => {
    const inside = path.some((_, length) => errors.has(key(path.slice(0, length + 1))));
    if (inside && at !== "key") return false;
    if (code !== "CONFIG_WARNING") errors.add(key(path));
    return true;
  });
}
