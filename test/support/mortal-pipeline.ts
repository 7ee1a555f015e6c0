import { BUILT_IN_COMMANDS, createHooks, createModelRegistry, createPipeline, createStepLoop, type Pipeline } from "@trunkline/core";
import {
  type AgentRuntime,
  createIds,
  type GatewayConfig,
  type InboundMessage,
  type ModelProvider,
  silentLogger,
  type Store,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import type { FakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeConfig, fakeSource } from "../../packages/core/src/fake-config.ts";
import { NEW_YEAR } from "../../packages/core/src/fake-message.ts";
import { createLife, type Life, type LifeOptions } from "./mortal.ts";
import { seededRandom } from "./random.ts";
import { tempFolder } from "./temp-folder.ts";
import { waitUntil } from "./wait.ts";

/** What stays when a process dies: the store, the platform, and what its agents work with. */
export interface World {
  readonly store: Store;
  readonly platform: FakeChannel;
  readonly model: ModelProvider;
  readonly tools: readonly ToolDefinition[];
  readonly config?: GatewayConfig;
  /** Takes the place of the step loop, which it is given. */
  readonly agent?: (loop: AgentRuntime) => AgentRuntime;
  /** Changes what is heard, as a filter hook does. */
  readonly filter?: (message: InboundMessage) => InboundMessage;
}

export interface MortalPipeline {
  readonly life: Life;
  readonly pipeline: Pipeline;
  /** Hears messages, then waits until it rests or is dead; gives whether it rests. */
  hears(messages: readonly InboundMessage[]): Promise<boolean>;
}

let processes = 0;

/** Starts a process on a world. */
export async function mortalPipeline(world: World, options: LifeOptions = {}): Promise<MortalPipeline> {
  const clock = createVirtualClock(NEW_YEAR + processes * 1000);
  processes += 1;
  const life = createLife(options);
  const random = seededRandom(processes);
  const hooks = createHooks(clock, silentLogger);
  const { filter } = world;
  if (filter) hooks.filter("inbound:before", (message) => filter(message));
  const loop = createStepLoop({ models: createModelRegistry([life.model(world.model)]), clock, logger: silentLogger });
  const pipeline = createPipeline({
    config: fakeSource(world.config ?? fakeConfig()),
    store: life.store(world.store),
    clock,
    ids: createIds(() => clock.now(), random),
    logger: silentLogger,
    hooks,
    agent: world.agent?.(loop) ?? loop,
    channels: [{ ...world.platform.plugin, connect: (config, host) => life.transport(world.platform.plugin.connect(config, host)) }],
    commands: BUILT_IN_COMMANDS,
    tools: world.tools.map((tool) => life.tool(tool)),
    dataFolder: tempFolder(),
    random,
    secureBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
    owner: `process-${processes}`,
  });
  const untilDead = life.died.then(() => false);
  const rests = async (messages: readonly InboundMessage[]): Promise<boolean> => {
    await pipeline.start();
    if (messages.length > 0) await pipeline.receive(messages);
    await pipeline.idle();
    await waitUntil(async () => (await pipeline.counts()).openParts === 0, "every part is settled");
    return true;
  };
  return { life, pipeline, hears: (messages) => Promise.race([rests(messages), untilDead]) };
}

/** A story that a process is told. */
export interface Story {
  /** A new world; the store may be the same. */
  readonly world: () => World;
  /** What is said; other conversations than in every earlier telling. */
  readonly messages: () => readonly InboundMessage[];
  /** Looks at the world when all is said. */
  readonly check: (told: { readonly world: World; readonly where: string; readonly pipeline: Pipeline }) => Promise<void> | void;
  readonly eager: boolean;
}

/**
 * Tells a story once to a process that lives, and then, in a new world each time, to one that dies at each point of that life in turn
 * and to another that comes after it. Gives the points.
 */
export async function dieAtEachPoint({ world: makeWorld, messages: say, check, eager }: Story): Promise<readonly string[]> {
  const first = makeWorld();
  const whole = await mortalPipeline(first, { eager });
  await whole.hears(say());
  await check({ world: first, where: "nothing died", pipeline: whole.pipeline });
  for (const [dieAt, point] of whole.life.points.entries()) {
    const world = makeWorld();
    const messages = say();
    await (await mortalPipeline(world, { dieAt, eager })).hears(messages);
    const next = await mortalPipeline(world);
    // A platform sends again what it was not told of, and may send again what it was.
    await next.hears(messages);
    await check({ world, where: `died ${point} (${dieAt})`, pipeline: next.pipeline });
  }
  return whole.life.points;
}
