import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHANNELS,
  type ChannelPlugin,
  createRedactor,
  definePlugin,
  type Logger,
  MODELS,
  type Plugin,
  silentLogger,
} from "@trunkline/plugin-sdk";
import { type Container, createContainer } from "@trunkline/plugin-sdk/container";
import { onTestFinished } from "vitest";
import { registerChannels } from "../../packages/gateway/src/channels.ts";
import { formatIssues } from "../../packages/gateway/src/config/issue.ts";
import { loadConfig } from "../../packages/gateway/src/config/load.ts";
import { type Gateway, startGateway } from "../../packages/gateway/src/gateway.ts";
import { storeUrlOf } from "./story-store.ts";

/** A gateway under test, with what it is made of. */
export interface TestGateway extends Gateway {
  /** Everything that it registered: `container.get(STORE)` and the like. */
  readonly container: Container;
  /** Writes the file anew, and reads it at once. */
  edit(yaml: string): void;
}

interface TestOptions {
  readonly logger?: Logger;
  readonly patchChannel?: (channel: ChannelPlugin) => ChannelPlugin;
  readonly plugins?: readonly Plugin[];
  readonly freeBytes?: () => Promise<number>;
  readonly storeUrl?: string;
}

/**
 * A whole gateway in this process, from YAML as a person writes it. `plugins` bring tools, models and an agent runtime of the test's
 * own; the YAML may name their models. Stopped when the test ends, unless it was before.
 */
export async function gatewayFromYaml(folder: string, yaml: string, options: TestOptions = {}): Promise<TestGateway> {
  const gateway = await startGatewayFromYaml(folder, yaml, options);
  onTestFinished(gateway.stop);
  return gateway;
}

/** The same for several tests: who starts it stops it. */
export async function startGatewayFromYaml(
  folder: string,
  yaml: string,
  { logger = silentLogger, patchChannel = (channel) => channel, plugins = [], freeBytes, storeUrl }: TestOptions = {},
): Promise<TestGateway> {
  const file = join(folder, "trunkline.yaml");
  writeFileSync(file, yaml);
  const container = createContainer();
  const channels = (await registerChannels(createContainer())).map(patchChannel);
  const plugin = definePlugin({
    name: "test-channels",
    version: "0.0.0",
    register: (context) => channels.forEach((channel) => context.contribute(CHANNELS, channel)),
  });
  container.register(plugin);
  for (const one of plugins) container.register(one);
  const knownProviders = ["demo", ...container.all(MODELS).map(({ id }) => id)];
  const load = (revision: number) => loadConfig({ file, env: {}, channels, knownProviders, revision });
  const loaded = load(1);
  if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
  const path = join(folder, "data");
  const data = { path, storeUrl: storeUrl ?? (await storeUrlOf(path)) };
  const gateway = await startGateway({
    snapshot: loaded.snapshot,
    data,
    container,
    logger,
    redactor: createRedactor(),
    reload: { from: loaded.from, load },
    ...(freeBytes ? { freeBytes } : {}),
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= gateway.stop());
  const edit = (text: string): void => {
    writeFileSync(file, text);
    gateway.reloadConfig();
  };
  return { ...gateway, stop, container, edit };
}

/** The YAML of a gateway with one Telegram account on an emulator and one OpenAI-compatible model server. */
export function telegramYaml(options: { apiRoot: string; token: string; modelUrl: string; account?: string; extra?: string }): string {
  return `version: 1
gateway: { host: 127.0.0.1, port: 0 }
providers:
  mock: { type: openai-compatible, baseUrl: "${options.modelUrl}", apiKey: test-key-000 }
agents:
  defaults: { model: { primary: mock/echo } }
  list:
    - { id: aria, identity: { name: Aria }, instructions: Answer briefly. }
channels:
  telegram:
    accounts:
      main:
        token: "${options.token}"
        apiRoot: "${options.apiRoot}"
        mode: polling
${options.account ?? '        dmPolicy: open\n        allowFrom: ["*"]\n'}messages:
  queue: { mode: followup }
${options.extra ?? ""}`;
}
