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

/** A gateway under test, with what it is made of. */
export interface TestGateway extends Gateway {
  /** Everything that it registered: `container.get(STORE)` and the like. */
  readonly container: Container;
}

/**
 * A whole gateway in this process, from YAML as a person writes it. `plugins` bring tools, models and an agent runtime of the test's
 * own; the YAML may name their models. Stopped when the test ends, unless it was before.
 */
export async function gatewayFromYaml(
  folder: string,
  yaml: string,
  {
    logger = silentLogger,
    patchChannel = (channel) => channel,
    plugins = [],
  }: { logger?: Logger; patchChannel?: (channel: ChannelPlugin) => ChannelPlugin; plugins?: readonly Plugin[] } = {},
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
  const loaded = loadConfig({ file, env: {}, channels, knownProviders: ["demo", ...container.all(MODELS).map(({ id }) => id)] });
  if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
  const data = { path: join(folder, "data"), storeUrl: `sqlite:${join(folder, "data", "trunkline.db")}` };
  const gateway = await startGateway({ snapshot: loaded.snapshot, data, container, logger, redactor: createRedactor() });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= gateway.stop());
  onTestFinished(stop);
  return { ...gateway, stop, container };
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
