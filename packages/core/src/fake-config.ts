import type { AccountConfig, AgentConfig, ConfigSnapshot, ConfigSource, GatewayConfig } from "@trunkline/plugin-sdk";

/** An account that lets Ann in and no group. For tests only. */
export function fakeAccount(over: Partial<AccountConfig> = {}): AccountConfig {
  return {
    enabled: true,
    dmPolicy: "allowlist",
    groupPolicy: "allowlist",
    allowFrom: ["ann"],
    groups: {},
    onAmbiguous: "resend",
    own: {},
    ...over,
  };
}

export function fakeAgent(over: Partial<AgentConfig> = {}): AgentConfig {
  return {
    id: "aria",
    identity: { name: "Aria" },
    instructions: "Answer briefly.",
    model: { primary: "script/one", fallbacks: [] },
    thinking: "low",
    ...over,
  };
}

export interface FakeConfigOptions extends Partial<Omit<GatewayConfig, "agents" | "messages">> {
  readonly account?: Partial<AccountConfig>;
  readonly agents?: readonly AgentConfig[];
  readonly messages?: Partial<GatewayConfig["messages"]>;
}

/** A configuration with the account `main` of the channel `fake`, and the agent `aria`. */
export function fakeConfig({ account = {}, agents = [fakeAgent()], messages = {}, ...over }: FakeConfigOptions = {}): GatewayConfig {
  return {
    version: 1,
    owners: [],
    gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], maxConcurrentTurns: 64 },
    store: {},
    network: {},
    providers: {},
    agents: { defaults: { model: { primary: "script/one", fallbacks: [] }, thinking: "low" }, list: agents },
    channels: { fake: { accounts: { main: fakeAccount(account) } } },
    bindings: [],
    session: { dmScope: "per-account-channel-peer" },
    messages: {
      queue: { mode: "followup", cap: 20 },
      maxInboundAge: 6 * 60 * 60 * 1000,
      silentToken: "NO_REPLY",
      silence: "exact",
      texts: {},
      ...messages,
    },
    commands: { allowFrom: [] },
    logs: { level: "info" },
    ...over,
  };
}

/** A source that gives this configuration. Every path was written in line 7 of trunkline.yaml. */
export function fakeSnapshot(config: GatewayConfig = fakeConfig(), revision = 1): ConfigSnapshot {
  return { revision, config, origin: () => ({ file: "trunkline.yaml", line: 7, column: 3 }) };
}

/** A source whose configuration a test can replace. */
export function fakeSource(config: GatewayConfig = fakeConfig()): ConfigSource & { replace(next: GatewayConfig): void } {
  let current = fakeSnapshot(config);
  return {
    current: () => current,
    replace: (next) => (current = fakeSnapshot(next, current.revision + 1)),
  };
}
