import type { AccountConfig, GatewayConfig } from "@trunkline/plugin-sdk";

/** An account by its two names. */
export interface AccountName {
  readonly channel: string;
  readonly account: string;
}

/** What has to be done with one account so that it runs as the new configuration says. */
export type AccountChange = AccountName &
  (
    | { readonly change: "removed" }
    | { readonly change: "added"; readonly config: AccountConfig }
    /** Its own keys or `enabled` changed: it connects anew. */
    | { readonly change: "restart"; readonly config: AccountConfig }
    /** Only common keys changed: they count from the next message on, and the connection stays. */
    | { readonly change: "adjust"; readonly config: AccountConfig }
  );

/** The difference between two configurations, as far as something has to happen about it. */
export interface ConfigDiff {
  readonly accounts: readonly AccountChange[];
  /** Ids of model providers that are new, gone or different. */
  readonly providers: readonly string[];
  /** Ids of agents that are new, gone or different. Nothing restarts for them. */
  readonly agents: readonly string[];
  /** Sections that are different and are read where they are needed, such as `bindings` and `messages`. */
  readonly sections: readonly string[];
  /** Dotted keys that are different and count after the next start of the gateway only. */
  readonly needRestart: readonly string[];
}

/** Keys that are read once, when the gateway starts. */
const AT_START: readonly (readonly [key: string, of: (config: GatewayConfig) => unknown])[] = [
  ["gateway.host", (config) => config.gateway.host],
  ["gateway.port", (config) => config.gateway.port],
  ["gateway.maxConcurrentTurns", (config) => config.gateway.maxConcurrentTurns],
  ["store.url", (config) => config.store.url],
  ["logs.level", (config) => config.logs.level],
];

/** Sections that are compared on their own. */
const OWN_COMPARISON: readonly string[] = ["gateway", "store", "logs", "providers", "agents", "channels"];

/**
 * Compares two configurations by account, provider, agent and section. Both are compared as they are used, with variables and files read
 * and defaults filled in, so that writing the same thing differently is no difference. Pure.
 */
export function diffConfig(before: GatewayConfig, after: GatewayConfig): ConfigDiff {
  const sections = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !OWN_COMPARISON.includes(key) && !isSame(valueOf(before, key), valueOf(after, key)),
  );
  return {
    accounts: accountChanges(before, after),
    // Providers go through the proxy, so that another proxy makes them others.
    providers: sections.includes("network")
      ? [...new Set([...Object.keys(before.providers), ...Object.keys(after.providers)])]
      : changedKeys(before.providers, after.providers),
    agents: changedKeys(byId(before), byId(after)),
    sections,
    needRestart: AT_START.flatMap(([key, of]) => (isSame(of(before), of(after)) ? [] : [key])),
  };
}

/** Whether two plain values are the same: maps whatever the order of their keys, lists in their order. */
export function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(valueOf(left, key), valueOf(right, key)))
  );
}

function accountChanges(before: GatewayConfig, after: GatewayConfig): readonly AccountChange[] {
  const old = accountsByName(before);
  const now = accountsByName(after);
  const gone = [...old].flatMap(([key, { name }]) => (now.has(key) ? [] : [{ ...name, change: "removed" as const }]));
  // Platforms are reached by the proxy, as providers are.
  const throughOther = !isSame(before.network, after.network);
  const rest = [...now].flatMap(([key, { name, config }]): readonly AccountChange[] => {
    const earlier = old.get(key)?.config;
    if (earlier === undefined) return [{ ...name, change: "added", config }];
    if (throughOther || earlier.enabled !== config.enabled || !isSame(earlier.own, config.own))
      return [{ ...name, change: "restart", config }];
    return isSame(earlier, config) ? [] : [{ ...name, change: "adjust", config }];
  });
  return [...gone, ...rest];
}

function accountsByName({ channels }: GatewayConfig): ReadonlyMap<string, { readonly name: AccountName; readonly config: AccountConfig }> {
  return new Map(
    Object.entries(channels).flatMap(([channel, { accounts }]) =>
      Object.entries(accounts).map(([account, config]) => [`${channel}:${account}`, { name: { channel, account }, config }] as const),
    ),
  );
}

function byId({ agents }: GatewayConfig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(agents.list.map((agent) => [agent.id, agent]));
}

function changedKeys(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !isSame(before[key], after[key]));
}

function valueOf(map: object, key: string): unknown {
  return (map as Readonly<Record<string, unknown>>)[key];
}
