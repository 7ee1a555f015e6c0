import type {
  AccountConfig,
  AgentConfig,
  AgentDefaults,
  ChannelPlugin,
  GatewayConfig,
  ModelChoice,
  ReplyToMode,
} from "@trunkline/plugin-sdk";
import { DEFAULT_AGENT_ID } from "./references.ts";
import type { ConfigFile } from "./schema.ts";

/** The model of an agent when the file says nothing. */
const BUILT_IN: AgentDefaults = { model: { primary: "demo/guide", fallbacks: [] } };

type FileAgent = ConfigFile["agents"]["list"][number];
type FileAccount = ConfigFile["channels"][string]["accounts"][string];

/** Gives each account its channel's own keys, as the channel's schema returned them. */
export type OwnKeysOf = (channel: string, account: string) => Readonly<Record<string, unknown>>;

/**
 * The configuration as the gateway uses it: agents merged with their defaults (scalars replace, maps merge, lists replace),
 * accounts split into common and own keys, empty optional texts gone.
 */
export function resolveConfig(file: ConfigFile, channels: readonly ChannelPlugin[], ownKeysOf: OwnKeysOf): GatewayConfig {
  const { version, owners, gateway, bindings, session, messages, commands, logs } = file;
  const defaults: AgentDefaults = {
    model: mergeModel(BUILT_IN.model, file.agents.defaults.model),
    ...(file.agents.defaults.thinking === undefined ? {} : { thinking: file.agents.defaults.thinking }),
  };
  const list: readonly FileAgent[] =
    file.agents.list.length > 0 ? file.agents.list : [{ id: DEFAULT_AGENT_ID, identity: { name: "Guide" } }];
  return {
    version,
    owners,
    gateway,
    store: file.store,
    // An unset HTTPS_PROXY arrives as an empty text by `${HTTPS_PROXY:-}`: the same as no proxy.
    network: withoutEmpty(file.network, "proxy"),
    providers: mapValues(file.providers, (provider) => withoutEmpty(provider, "apiKey")),
    agents: { defaults, list: list.map((agent) => resolveAgent(agent, defaults, file.agents.defaults)) },
    channels: mapEntries(file.channels, (channel, { accounts }) => {
      const authenticates = channels.find((one) => one.id === channel)?.capabilities.authenticates ?? false;
      return {
        accounts: mapEntries(accounts, (name, account) => resolveAccount(account, file.markdown, authenticates, ownKeysOf(channel, name))),
      };
    }),
    bindings,
    session: { dmScope: session.dmScope },
    messages: {
      queue: messages.queue,
      ...(messages.inbound === undefined ? {} : { inbound: messages.inbound }),
      maxInboundAge: messages.maxInboundAge,
      silentToken: messages.silentToken,
      silence: messages.silence,
      ...(messages.stopWords === undefined ? {} : { stopWords: messages.stopWords }),
      ...(messages.responsePrefix === undefined || messages.responsePrefix === "" ? {} : { responsePrefix: messages.responsePrefix }),
      texts: messages.texts,
    },
    commands,
    logs,
  };
}

function resolveAgent(agent: FileAgent, defaults: AgentDefaults, shared: ConfigFile["agents"]["defaults"]): AgentConfig {
  const name = agent.identity?.name ?? agent.id;
  const emoji = agent.identity?.emoji;
  const thinking = agent.thinking ?? defaults.thinking;
  const verbose = agent.verbose ?? shared.verbose;
  const queue = { ...shared.queue, ...agent.queue };
  return {
    id: agent.id,
    identity: { name, ...(emoji === undefined ? {} : { emoji }) },
    instructions: agent.instructions ?? `You are ${name}, a helpful assistant.`,
    model: mergeModel(defaults.model, agent.model),
    ...(thinking === undefined ? {} : { thinking }),
    ...(verbose === undefined ? {} : { verbose }),
    ...(Object.keys(queue).length === 0 ? {} : { queue }),
    ...(agent.responsePrefix === undefined ? {} : { responsePrefix: agent.responsePrefix }),
  };
}

function mergeModel(base: ModelChoice, over: FileAgent["model"]): ModelChoice {
  const params = over?.params === undefined ? base.params : { ...base.params, ...over.params };
  return {
    primary: over?.primary ?? base.primary,
    fallbacks: over?.fallbacks ?? base.fallbacks,
    ...(params === undefined ? {} : { params }),
  };
}

function resolveAccount(
  account: FileAccount,
  markdown: ConfigFile["markdown"],
  authenticates: boolean,
  own: Readonly<Record<string, unknown>>,
): AccountConfig {
  const { enabled, dmPolicy, groupPolicy, allowFrom, groups, mentionPatterns, onAmbiguous, rates } = account;
  const fitting = { ...markdown, ...account.markdown };
  const { responsePrefix, replyToMode, streaming, debounceMs, allowBots, reactions, historyLimit } = account;
  return {
    enabled,
    dmPolicy: dmPolicy ?? (authenticates ? "open" : "pairing"),
    groupPolicy,
    allowFrom,
    groups,
    onAmbiguous,
    ...(mentionPatterns === undefined ? {} : { mentionPatterns }),
    ...(Object.keys(fitting).length === 0 ? {} : { markdown: fitting }),
    ...(rates === undefined ? {} : { rates }),
    ...(responsePrefix === undefined ? {} : { responsePrefix }),
    ...(replyToMode === undefined ? {} : { replyToMode: byChatKind(replyToMode) }),
    ...(streaming === undefined ? {} : { streaming }),
    ...(debounceMs === undefined ? {} : { debounceMs }),
    ...(allowBots === undefined ? {} : { allowBots }),
    ...(reactions === undefined ? {} : { reactions }),
    ...(historyLimit === undefined ? {} : { historyLimit }),
    own,
  };
}

/** One mode stands for all kinds of chats. */
function byChatKind(mode: ReplyToMode | NonNullable<AccountConfig["replyToMode"]>): NonNullable<AccountConfig["replyToMode"]> {
  return typeof mode === "string" ? { direct: mode, group: mode, channel: mode } : mode;
}

function withoutEmpty<T extends object, K extends keyof T>(value: T, key: K): T {
  if (value[key] !== "") return value;
  const { [key]: _empty, ...rest } = value;
  return rest as unknown as T;
}

function mapValues<From, To>(map: Readonly<Record<string, From>>, change: (value: From) => To): Readonly<Record<string, To>> {
  return mapEntries(map, (_, value) => change(value));
}

function mapEntries<From, To>(map: Readonly<Record<string, From>>, change: (key: string, value: From) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(key, value)]));
}
