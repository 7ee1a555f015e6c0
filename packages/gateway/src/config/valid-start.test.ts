import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { CHANNELS, type ChannelPlugin, createRedactor, definePlugin, silentLogger } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../gateway.ts";
import { filesOf, readSections } from "./fake-files.ts";
import { loadConfig } from "./load.ts";

/** The channel without its platform: what is started is everything else. */
// oxlint-disable-next-line typescript/no-explicit-any -- any channel's config type
function offline(channel: ChannelPlugin<any>): ChannelPlugin<any> {
  const send = async () => ({ messageId: "1" });
  return { ...channel, connect: () => ({ start: async () => {}, stop: async () => {}, send }) };
}

const PROVIDERS = `version: 1
network: { proxy: "socks5://me:secret@127.0.0.1:1080" }
gateway: { host: "::1" }
store: { url: "sqlite:elsewhere.db" }
providers:
  a: { type: anthropic, apiKey: k }
  b: { type: openai, baseUrl: "https://example.org/v1/?a=b", apiKey: [k, l], headers: { X-Team: blue } }
  c: { type: google, apiKey: "" }
  d: { type: openai-compatible, baseUrl: "HTTP://127.0.0.1:11434/v1/chat/completions" }
`;

it.each([...readSections(new URL("valid-configs.txt", import.meta.url)), { name: "every kind of provider", yaml: PROVIDERS }])(
  "what check passes is not refused at the start: $name",
  async ({ yaml }) => {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-valid-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, text] of filesOf(yaml)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    const channels = [webChannel, telegramChannel].map(offline);
    const env = { BOT_TOKEN: `123456:${"A".repeat(35)}`, EMPTY: "", WORD: "many" };
    const loaded = loadConfig({ file: folder, env, channels, knownProviders: ["demo"] });
    expect(loaded.ok).toBe(true);
    if (!loaded.ok) return;
    const { config } = loaded.snapshot;
    const container = createContainer();
    container.register(
      definePlugin({
        name: "test",
        version: "0",
        register: (context) => channels.forEach((channel) => context.contribute(CHANNELS, channel)),
      }),
    );
    const gateway = await startGateway({
      // The address of the test's machine is not what is tried here.
      snapshot: { ...loaded.snapshot, config: { ...config, gateway: { ...config.gateway, host: "127.0.0.1", port: 0 } } },
      data: { path: join(folder, "data"), storeUrl: `sqlite:${join(folder, "data", "trunkline.db")}` },
      container,
      logger: silentLogger,
      redactor: createRedactor(),
    });
    await gateway.stop();
  },
);
