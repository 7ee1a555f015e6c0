import { BUILT_IN_COMMANDS, createHooks, createPipeline, type Pipeline } from "@trunkline/core";
import {
  type ChannelPlugin,
  createIds,
  GatewayError,
  type InboundMessage,
  type OutboundPart,
  silentLogger,
  type Store,
  type Transport,
} from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import type { VirtualClock } from "@trunkline/plugin-sdk/testing";
import { registerChannels } from "../../packages/gateway/src/channels.ts";
import { loadConfig } from "../../packages/gateway/src/config/load.ts";
import { seededRandom } from "./random.ts";
import { tempFolder } from "./temp-folder.ts";

/** Telegram's rules on a platform that a test holds in its hands. */
export interface Platform {
  readonly sent: OutboundPart[];
  /** What the next sends do; by default they arrive. */
  behave: "arrive" | "hang";
  readonly sending: number;
}

/** A platform on which everything arrives until told otherwise. */
export function platform(): Platform & { transport(): Transport } {
  let sending = 0;
  const state = {
    sent: [] as OutboundPart[],
    behave: "arrive" as Platform["behave"],
    get sending() {
      return sending;
    },
  };
  return Object.assign(state, {
    transport: (): Transport => ({
      start: async () => {},
      stop: async () => {},
      async send(part, signal) {
        sending += 1;
        if (state.behave === "hang") await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        state.sent.push(part);
        return { messageId: String(state.sent.length) };
      },
      reconcile: async (part) =>
        state.sent.some(({ key }) => key === part.key) ? { outcome: "sent", receipt: { messageId: "1" } } : { outcome: "absent" },
    }),
  });
}

/** Each process draws other ids and codes. */
let processes = 0;

/** A pipeline without a process around it: real store, virtual time, and an agent whose model cannot be reached. */
export async function pipelineOn(yaml: string, store: Store, clock: VirtualClock, transport: () => Transport): Promise<Pipeline> {
  const channels = (await registerChannels(createContainer())).map((channel): ChannelPlugin => ({ ...channel, connect: transport }));
  const files = { read: () => new TextEncoder().encode(yaml), mode: () => 0o600 };
  const loaded = loadConfig({ file: "/x/trunkline.yaml", env: {}, channels, knownProviders: ["demo"], files });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  processes += 1;
  const random = seededRandom(processes);
  const pipeline = createPipeline({
    config: { current: () => loaded.snapshot },
    store,
    clock,
    ids: createIds(() => clock.now(), random),
    logger: silentLogger,
    hooks: createHooks(clock, silentLogger),
    agent: {
      run() {
        throw new GatewayError("MODEL_NETWORK", { detail: { provider: "none" } });
      },
    },
    channels,
    commands: BUILT_IN_COMMANDS,
    tools: [],
    dataFolder: tempFolder(),
    random,
    secureBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
    owner: "test",
  });
  await pipeline.start();
  return pipeline;
}

let next = 0;

/** A direct message to `telegram:main`. */
export function directMessage(sender: string, clock: VirtualClock, text = "hello"): InboundMessage {
  next += 1;
  return {
    kind: "message",
    id: String(next),
    conversation: { channel: "telegram", account: "main", kind: "direct", id: sender },
    sender: { id: sender, isBot: false, isSelf: false },
    text,
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: clock.now(),
  };
}
