import { randomBytes } from "node:crypto";
import {
  acquireInstanceLock,
  backUpDatabase,
  BUILT_IN_COMMANDS,
  BUILT_IN_TOOLS,
  createDemoProvider,
  createHooks,
  createPipeline,
  createStepLoop,
  databasePath,
  explainMessage,
  openStore,
  type Pipeline,
} from "@trunkline/core";
import {
  AGENT_RUNTIME,
  CHANNELS,
  type Clock,
  CLOCK,
  COMMANDS,
  CONFIG,
  type ConfigSnapshot,
  createIds,
  definePlugin,
  GatewayError,
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
import { webChannel } from "@trunkline/channel-web";
import { createLiveConfig } from "./config/live-config.ts";
import { type Reload, type ReloadableConfig, type ReloadDeps, startReload } from "./config/reload.ts";
import { listenControl } from "./control/server.ts";
import type { GatewayStatus, SignInLinks } from "./control/protocol.ts";
import { controlSocketPath, type DataFolder, makeDataFolder } from "./data-folder.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { giveMemoryBackWhenQuiet } from "./quiet-memory.ts";
import { createRandom } from "./random.ts";
import { readiness, untilStarted, watchStore } from "./readiness.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { makeModelProvider } from "./model-providers.ts";
import { createModelRuntime } from "./model-runtime.ts";
import { describeStore, freeBytesAt } from "./store-status.ts";
import { VERSION } from "./version.ts";

export interface GatewayOptions {
  readonly snapshot: ConfigSnapshot;
  readonly data: DataFolder;
  /**
   * Holds the channel plugins already, and any other plugin that should take part: what it contributes to TOOLS, COMMANDS and MODELS
   * stands beside what is built in, and an AGENT_RUNTIME that it provides runs the turns instead of the built-in step loop.
   */
  readonly container: Container;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Where the snapshot comes from, for a gateway that follows changes. Absent: it keeps the snapshot. */
  readonly reload?: ReloadableConfig;
  /** Free bytes of the data folder's disk; replaced in tests. */
  readonly freeBytes?: () => Promise<number>;
}

/** A gateway that runs. */
export interface Gateway {
  readonly url: string;
  /** The link that signs a browser in; only when this start made the tokens. */
  readonly signInUrl: string | undefined;
  status(): Promise<GatewayStatus>;
  /** Reads the configuration now, instead of shortly after it changed. */
  reloadConfig(): void;
  /** Resolves when the gateway must not go on: somebody else wrote into its database. Whoever runs it stops it. */
  readonly ended: Promise<GatewayError>;
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

async function build(options: GatewayOptions, undo: (() => Promise<unknown>)[]): Promise<Gateway> {
  const { snapshot, data, container, logger, redactor } = options;
  const clock = systemClock;
  const random = createRandom();
  const startedAt = clock.now();
  const { config } = snapshot;
  makeDataFolder(data.path);
  const lock = await acquireInstanceLock(data.path);
  undo.push(() => lock.release());
  let end = (_error: GatewayError): void => {};
  const ended = new Promise<GatewayError>((resolve) => void (end = resolve));
  const store = await openStore({ url: data.storeUrl, clock, logger, onEnded: (error) => end(error) });
  undo.push(() => store.close());

  const metrics = createMetrics();
  undo.push(async () => metrics.close());
  const storeWatch = watchStore(store, clock);
  const state: { pipeline?: Pipeline; reload?: Reload; started: boolean; closing: boolean } = { started: false, closing: false };
  const http = createHttpServer({
    host: config.gateway.host,
    port: config.gateway.port,
    dataFolder: data.path,
    clock,
    logger,
    health: () => ({ alive: true }),
    started: () => state.started,
    ready: () => readiness({ pipeline: state.pipeline, closing: state.closing, store: storeWatch }),
    metrics: async () => state.pipeline && metrics.text({ version: VERSION, startedAt, ...state.pipeline }),
    allowedHosts: config.gateway.allowedHosts,
    onSecret: (secret) => redactor.add(secret),
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
  metrics.watch(container.get(HOOKS));
  giveMemoryBackWhenQuiet(container.get(HOOKS), clock);
  const live = createLiveConfig(snapshot);
  container.provide(CONFIG, live);
  container.register(builtIns());
  const models = createModelRuntime({
    container,
    makeProvider: (id, changed) => makeModelProvider(id, changed, { clock, logger }),
    makeLoop: (registry) => createStepLoop({ models: registry, clock, logger, onCall: metrics.modelCall }),
  });
  undo.push(() => models.close());
  models.use(config, []);
  if (!container.has(AGENT_RUNTIME)) container.provide(AGENT_RUNTIME, models);

  const pipeline = createPipeline({
    config: container.get(CONFIG),
    store,
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
    secureBytes: randomBytes,
    owner: `pid:${process.pid}`,
    http: http.mount,
    freeBytes: options.freeBytes ?? (() => freeBytesAt(data.path)),
  });
  const status = async (): Promise<GatewayStatus> => ({
    version: VERSION,
    url,
    dataFolder: data.path,
    startedAt,
    config: state.reload?.status() ?? { revision: snapshot.revision, file: null, lastError: null, needRestart: [] },
    accounts: pipeline.accounts(),
    trouble: pipeline.trouble().map(({ code, message, hint }) => ({ code, message, hint })),
    ...(await pipeline.counts()),
  });
  const control = await listenControl(controlSocketPath(data.path), {
    status,
    explain: ({ message }) => explainMessage(message, store, container.all(CHANNELS)),
    dryRun: pipeline.dryRun,
    pairingList: pipeline.access.requests,
    pairingApprove: pipeline.access.approve,
    pairingDeny: pipeline.access.deny,
    accessList: pipeline.access.entries,
    accessRemove: pipeline.access.remove,
    signInLinks: async () => signInLinks(http, logger),
    dlqList: pipeline.deadLetters.list,
    dlqShow: ({ id }) => pipeline.deadLetters.show(id),
    dlqRetry: ({ id }) => pipeline.deadLetters.retry(id),
    dlqDrop: ({ id }) => pipeline.deadLetters.drop(id),
    storeBackup: ({ file }) => backUpStore(data, file, clock),
    storeStatus: () => describeStore(data),
  });
  undo.push(() => control.close());
  await pipeline.start();
  state.pipeline = pipeline;
  await untilStarted(webChannel.id, pipeline.accounts, clock);
  state.started = true;
  if (options.reload) {
    const apply: ReloadDeps["apply"] = (next, diff, swap) => {
      models.use(next.config, diff.providers);
      swap();
      http.allowHosts(next.config.gateway.allowedHosts);
      pipeline.changeAccounts(diff.accounts);
    };
    state.reload = startReload({ config: live, source: options.reload, clock, logger, redactor, apply });
  }
  container.get(HOOKS).emit("gateway:ready", {});

  return {
    url,
    signInUrl: http.tokensAreNew() ? http.signInUrl() : undefined,
    status,
    reloadConfig: () => state.reload?.now(),
    ended,
    async stop() {
      state.closing = true;
      state.reload?.close();
      container.get(HOOKS).emit("gateway:closing", {});
      // Turns and sends whose last write waits for a database that is away would keep the gateway from ending.
      const cancel = clock.timer(GRACE_MS, () => store.giveUp());
      await pipeline.stop(GRACE_MS);
      cancel();
      for (const step of undo.toReversed()) await step();
    },
  };
}

/** A copy of the running database, for the command line. */
async function backUpStore(data: DataFolder, file: string | undefined, clock: Clock): Promise<{ file: string }> {
  const path = databasePath(data.storeUrl);
  if (path === undefined) throw new GatewayError("GATEWAY_USAGE", { detail: { reason: "the store is a PostgreSQL database" } });
  return { file: await backUpDatabase(path, file, clock) };
}

/** Commands, tools and model providers that are built in, contributed like any plugin's. */
function builtIns() {
  return definePlugin({
    name: "built-in",
    version: VERSION,
    register(context) {
      for (const command of BUILT_IN_COMMANDS) context.contribute(COMMANDS, command);
      for (const tool of BUILT_IN_TOOLS) context.contribute(TOOLS, tool);
      context.contribute(MODELS, createDemoProvider({ clock: systemClock }));
    },
  });
}

/** The links for the command line. That they were asked for is in the log; they are not. */
function signInLinks(http: HttpServer, logger: Logger): SignInLinks {
  const [admin, chat] = [http.signInUrl("admin"), http.signInUrl("chat")];
  if (admin === undefined || chat === undefined) throw new GatewayError("GATEWAY_BUG", { detail: { reason: "no server listens" } });
  logger.info({}, "the sign-in links were given to the command line");
  return { admin, chat };
}
