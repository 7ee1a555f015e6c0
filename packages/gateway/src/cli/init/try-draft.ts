import { type ChannelPlugin, type GatewayConfig, GatewayError, type Redactor, systemClock } from "@trunkline/plugin-sdk";
import { BUILT_IN_PROVIDERS } from "../../config/builtin.ts";
import type { Environment } from "../../config/environment.ts";
import { type ConfigFiles, diskFiles } from "../../config/files.ts";
import { formatIssues } from "../../config/issue.ts";
import { loadConfig } from "../../config/load.ts";
import { probeAccount } from "../../probe/probe-account.ts";
import { probeModel } from "../../probe/probe-model.ts";
import type { Draft } from "./draft.ts";

/** Tries what a draft says, before any of it is written. */
export interface DraftTrial {
  /** Why the model does not answer; undefined when it does. */
  model(draft: Draft, env: Environment): Promise<GatewayError | undefined>;
  /** Why Telegram does not take the token; undefined when it does. */
  telegram(draft: Draft, env: Environment): Promise<GatewayError | undefined>;
}

/** Tries drafts against the real services. Secrets that it meets are known to the redactor. */
export function createDraftTrial(channels: readonly ChannelPlugin[], redactor: Redactor): DraftTrial {
  const load = (draft: Draft, env: Environment): GatewayConfig | GatewayError => {
    const drafted = new Map([draft.config, ...draft.secrets].map(({ path, text }) => [path, text]));
    const files: ConfigFiles = {
      ...diskFiles,
      read: (path) => (drafted.has(path) ? new TextEncoder().encode(drafted.get(path)) : diskFiles.read(path)),
      mode: (path) => (drafted.has(path) ? 0o600 : diskFiles.mode(path)),
    };
    const loaded = loadConfig({ file: draft.config.path, env, channels, knownProviders: BUILT_IN_PROVIDERS, files });
    for (const secret of loaded.secrets) redactor.add(secret);
    return loaded.ok ? loaded.snapshot.config : new GatewayError("CONFIG_INVALID", { hint: formatIssues(loaded.issues) });
  };
  return {
    async model(draft, env) {
      const config = load(draft, env);
      if (config instanceof GatewayError) return config;
      return draft.model.startsWith("demo/") ? undefined : probeModel(config, draft.model, systemClock);
    },
    async telegram(draft, env) {
      const config = load(draft, env);
      if (config instanceof GatewayError) return config;
      const channel = channels.find(({ id }) => id === "telegram");
      const own = config.channels["telegram"]?.accounts["main"]?.own;
      if (channel === undefined || own === undefined) return new GatewayError("CHANNEL_UNKNOWN", { detail: { channel: "telegram" } });
      return probeAccount({ channel, account: "main", own, clock: systemClock, listenMs: 0 });
    },
  };
}
