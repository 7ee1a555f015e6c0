import {
  acquireInstanceLock,
  BUILT_IN_COMMANDS,
  BUILT_IN_TOOLS,
  createDemoProvider,
  createHooks,
  createModelRegistry,
  createOpenAiCompatibleProvider,
  createPipeline,
  createStepLoop,
  explainMessage,
  openStore,
  type Pipeline,
} from "@trunkline/core";
import {
  AGENT_RUNTIME,
  CHANNELS,
  CLOCK,
  COMMANDS,
  CONFIG,
  type ConfigSnapshot,
  createIds,
  definePlugin,
  HOOKS,
  IDS,
  LOGGER,
  type Logger,
  MODELS,
  type Redactor,
  STORE,
  systemClock,
  TOOLS,
} from "@trunkline/plugin-sdk";
import type { Container } from "@trunkline/plugin-sdk/container";
import { listenControl } from "./control/server.ts";
import type { GatewayStatus } from "./control/protocol.ts";
import { controlSocketPath, type DataFolder, makeDataFolder } from "./data-folder.ts";
import { createHttpServer } from "./http/server.ts";
import { createRandom } from "./random.ts";
import { VERSION } from "./version.ts";

export interface GatewayOptions {
  readonly snapshot: ConfigSnapshot;
  readonly data: DataFolder;
  /** Holds the channel plugins already. */
  readonly container: Container;
  readonly logger: Logger;
  readonly redactor: Redactor;
}

/** A gateway that runs. */
export interface Gateway {
  readonly url: string;
  /** The link that signs a browser in; only when this start made the tokens. */
  readonly signInUrl: string | undefined;
  status(): Promise<GatewayStatus>;
  /** Stops intake, lets running turns finish for a while, flushes, frees the lock. */
  stop(): Promise<void>;
}

/** Time that running turns have to finish when the gateway stops, ms; then they are parked and resumed at the next start. */
const GRACE_MS = 8000;

/** Puts a gateway together and starts it. What fails on the way undoes what was started. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    return await build(options, undo);
  } catch (error) {
    for (const step of undo.toReversed()) await step().catch(() => {});
    throw error;
  }
}

async function build({ snapshot, data, container, logger, redactor }: GatewayOptions, undo: (() => Promise<unknown>)[]): Promise<Gateway> {
  const clock = systemClock;
  const random = createRandom();
  const startedAt = clock.now();
  const { config } = snapshot;
  makeDataFolder(data.path);
  const lock = await acquireInstanceLock(data.path);
  undo.push(() => lock.release());
  const store = await openStore({ url: data.storeUrl, clock, logger });
  undo.push(() => store.close());

  const state: { pipeline?: Pipeline; closing: boolean } = { closing: false };
  const http = createHttpServer({
    host: config.gateway.host,
    port: config.gateway.port,
    dataFolder: data.path,
    clock,
    logger,
    health: () => ({ alive: true }),
    ready: () => readiness(state),
  });
  const { url } = await http.listen();
  undo.push(() => http.close());
  for (const secret of http.secrets()) redactor.add(secret);

  container.provide(CLOCK, clock);
  container.provide(LOGGER, logger);
  container.provide(STORE, store);
  container.provide(
    IDS,
    createIds(() => clock.now(), random),
  );
  container.provide(HOOKS, createHooks(clock, logger));
  container.provide(CONFIG, { current: () => snapshot });
  container.register(builtIns(snapshot));
  const models = createModelRegistry(container.all(MODELS));
  undo.push(() => Promise.all(container.all(MODELS).map((provider) => provider.close?.())));
  container.provide(AGENT_RUNTIME, createStepLoop({ models, clock, logger }));

  const pipeline = createPipeline({
    config: container.get(CONFIG),
    store: container.get(STORE),
    clock: container.get(CLOCK),
    ids: container.get(IDS),
    logger: container.get(LOGGER),
    hooks: container.get(HOOKS),
    agent: container.get(AGENT_RUNTIME),
    channels: container.all(CHANNELS),
    commands: container.all(COMMANDS),
    tools: container.all(TOOLS),
    dataFolder: data.path,
    random,
    owner: `pid:${process.pid}`,
    http: http.mount,
  });
  const status = async (): Promise<GatewayStatus> => ({
    version: VERSION,
    url,
    dataFolder: data.path,
    startedAt,
    configRevision: snapshot.revision,
    accounts: pipeline.accounts(),
    ...(await pipeline.counts()),
  });
  const control = await listenControl(controlSocketPath(data.path), { status, explain: (reference) => explainMessage(reference, store) });
  undo.push(() => control.close());
  await pipeline.start();
  state.pipeline = pipeline;
  container.get(HOOKS).emit("gateway:ready", {});

  return {
    url,
    signInUrl: http.tokensAreNew() ? http.signInUrl() : undefined,
    status,
    async stop() {
      state.closing = true;
      container.get(HOOKS).emit("gateway:closing", {});
      await pipeline.stop(GRACE_MS);
      for (const step of undo.toReversed()) await step();
    },
  };
}

/** Commands, tools and model providers that are built in or configured, contributed like any plugin's. */
function builtIns({ config }: ConfigSnapshot) {
  return definePlugin({
    name: "built-in",
    version: VERSION,
    register(context) {
      for (const command of BUILT_IN_COMMANDS) context.contribute(COMMANDS, command);
      for (const tool of BUILT_IN_TOOLS) context.contribute(TOOLS, tool);
      context.contribute(MODELS, createDemoProvider({ clock: systemClock }));
      for (const [id, provider] of Object.entries(config.providers)) {
        const { type: _type, ...wire } = provider;
        const proxy = config.network.proxy;
        context.contribute(MODELS, createOpenAiCompatibleProvider({ id, ...wire, clock: systemClock, ...(proxy ? { proxy } : {}) }));
      }
    },
  });
}

/** Ready when each enabled account is connected, or has said why it is not. */
function readiness(state: { readonly pipeline?: Pipeline; readonly closing: boolean }): { ready: boolean; why: string[] } {
  if (state.closing) return { ready: false, why: ["the gateway is stopping"] };
  if (!state.pipeline) return { ready: false, why: ["the gateway is starting"] };
  const waiting = state.pipeline.accounts().filter((account) => account.state === "starting");
  return { ready: waiting.length === 0, why: waiting.map((account) => `${account.channel}:${account.account} is starting`) };
}
