import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BUILT_IN_COMMANDS,
  BUILT_IN_TOOLS,
  createHooks,
  createModelRegistry,
  createPipeline,
  createStepLoop,
  explainMessage,
  type Explanation,
  openStore,
} from "@trunkline/core";
import {
  type CommandDefinition,
  createIds,
  type GatewayConfig,
  type InboundMessage,
  type LogFields,
  type Logger,
  type Store,
  systemClock,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { createScriptedModel, createVirtualClock, type ScriptedModel, type VirtualClock } from "@trunkline/plugin-sdk/testing";
import { expect, onTestFinished } from "vitest";
import { createFakeChannel, type FakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeConfig, fakeSource } from "../../packages/core/src/fake-config.ts";
import { fakeMessage, NEW_YEAR } from "../../packages/core/src/fake-message.ts";
import { allRows } from "../store/databases.ts";
import { seededRandom } from "../support/random.ts";
import { storeUrlOf } from "../support/story-store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

/** A whole pipeline on a real database, between a platform in memory and a scripted model. */
export interface SpineRig {
  readonly clock: VirtualClock;
  readonly fake: FakeChannel;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly pipeline: ReturnType<typeof createPipeline>;
  readonly hooks: ReturnType<typeof createHooks>;
  readonly config: ReturnType<typeof fakeSource>;
  readonly folder: string;
  /** Everything that was logged at info or above, as one text. */
  logs(): string;
  /** A message from the platform; Ann's, directly, but for what is given. Gives its receipt. */
  hears(over?: Partial<InboundMessage>): Promise<{ readonly id: string; readonly duplicate: boolean }>;
  /** Waits until no turn runs and every part is settled; then checks the books. */
  rests(): Promise<void>;
  explain(id: string): Promise<Explanation>;
  /** Stops without finishing the running turns, and closes the database. */
  stop(): Promise<void>;
  /** Every byte of the database's files; on PostgreSQL every value of its rows. */
  databaseBytes(): Promise<string>;
}

export interface RigOptions {
  readonly config?: GatewayConfig;
  readonly folder?: string;
  readonly fake?: FakeChannel;
  readonly model?: ScriptedModel;
  readonly clock?: VirtualClock;
  readonly commands?: readonly CommandDefinition[];
  /** Beside the built-in ones. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a tool of any arguments
  readonly tools?: readonly ToolDefinition<any>[];
  /** What is free on the disk. Without it the disk is not looked at. */
  readonly freeBytes?: () => Promise<number>;
  /** Distinguishes the ids of processes that share a database. */
  readonly seed?: number;
}

export async function spineRig(options: RigOptions = {}): Promise<SpineRig> {
  const {
    folder = tempFolder(),
    fake = createFakeChannel(),
    model = createScriptedModel(),
    clock = createVirtualClock(NEW_YEAR),
    seed = 1,
  } = options;
  const config = fakeSource(options.config ?? fakeConfig());
  const lines: string[] = [];
  const logger = recorder(lines);
  const store = await openStore({ url: await storeUrlOf(folder), clock: systemClock });
  const random = seededRandom(seed);
  const hooks = createHooks(clock, logger);
  const pipeline = createPipeline({
    config,
    store,
    clock,
    ids: createIds(() => clock.now(), random),
    logger,
    hooks,
    agent: createStepLoop({ models: createModelRegistry([model]), clock, logger }),
    channels: [fake.plugin],
    commands: [...BUILT_IN_COMMANDS, ...(options.commands ?? [])],
    tools: [...BUILT_IN_TOOLS, ...(options.tools ?? [])],
    dataFolder: folder,
    random,
    secureBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
    owner: "test",
    ...(options.freeBytes ? { freeBytes: options.freeBytes } : {}),
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      const ended = pipeline.stop(0);
      await clock.advance(10_000); // no grace: what still runs is parked
      await ended;
      await store.close();
    })());
  onTestFinished(stop);
  await pipeline.start();
  const balanced = async (): Promise<void> => {
    const { messages } = await pipeline.counts();
    expect(messages.accepted).toBe(messages.open + Object.values(messages.dispositions).reduce((sum, n) => sum + n, 0));
  };
  return {
    clock,
    fake,
    model,
    store,
    pipeline,
    hooks,
    config,
    folder,
    logs: () => lines.join("\n"),
    async hears(over = {}) {
      const [receipt] = await pipeline.receive([fakeMessage({ sentAt: clock.now(), ...over })]);
      return receipt!;
    },
    async rests() {
      await pipeline.idle();
      await waitUntil(async () => (await pipeline.counts()).openParts === 0, "every part is settled");
      await balanced();
      expect((await pipeline.counts()).messages.open).toBe(0);
    },
    explain: (id) => explainMessage(id, store),
    async stop() {
      await balanced();
      await stop();
    },
    databaseBytes: () => databaseBytes(folder),
  };
}

async function databaseBytes(folder: string): Promise<string> {
  const url = await storeUrlOf(folder);
  if (url.startsWith("postgres:")) return allRows(url);
  return readdirSync(folder)
    .filter((name) => name.startsWith("trunkline.db"))
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");
}

function recorder(lines: string[]): Logger {
  const write = (level: string) => (fields: LogFields, message: string) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: () => {}, info: write("info"), warn: write("warn"), error: write("error"), child: () => logger };
  return logger;
}
