import { basename } from "node:path";
import {
  type AgentRuntime,
  type ChannelHost,
  type GatewayConfig,
  type ChannelPlugin,
  type Clock,
  type CommandDefinition,
  type ConfigSource,
  type Hooks,
  type Ids,
  type InboundMessage,
  type Logger,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { createAlerts } from "./alerts/alerts.ts";
import { createRetention } from "./care/retention.ts";
import { createRoom, DISK_FLOOR_MB } from "./care/room.ts";
import { watchStoreHealth, type WatchedStore } from "./care/store-health.ts";
import type { AccountChange } from "./config/diff.ts";
import type { AccountStatus } from "./connections/account-state.ts";
import { createConnections } from "./connections/connections.ts";
import type { HostServices } from "./connections/deps.ts";
import { createOpenAnswers } from "./connections/open-answers.ts";
import type { AmbiguityCounts } from "./delivery/context.ts";
import { createDeadLetterDesk, type DeadLetterDesk } from "./delivery/dead-letter-desk.ts";
import { createRates } from "./delivery/rates.ts";
import { undeliveredNotice } from "./delivery/undelivered.ts";
import { wayOut } from "./delivery/way-out.ts";
import { createDeliveryWorker } from "./delivery/worker.ts";
import type { Deps } from "./deps.ts";
import { dispatchInboundMessage, runLaneTurn, runningTurnOf } from "./dispatch.ts";
import { dryRun, type DryRun, type DryRunQuery } from "./explain/dry-run.ts";
import { endStaleBacklog } from "./inbound/backlog.ts";
import { acceptUnreadable } from "./inbound/unreadable.ts";
import { createBotLoopGuard } from "./inbound/bot-loop.ts";
import { createHeard } from "./inbound/heard.ts";
import { createLanes } from "./lanes/lanes.ts";
import { createQueue } from "./lanes/look.ts";
import { createInboundMedia } from "./media/inbound-media.ts";
import { createMediaFolder } from "./media/media-folder.ts";
import { createOutboundMedia } from "./media/outbound-media.ts";
import { createWebFiles, type WebFiles } from "./media/web-files.ts";
import { createApprovedSenders, reportIgnoredApprovals } from "./pairing/approved.ts";
import { type AccessDesk, createAccessDesk } from "./pairing/desk.ts";
import { createStrangerRate } from "./pairing/stranger-rate.ts";
import { untoldOf } from "./reply/context.ts";
import { endInbound } from "./reply/open-turn.ts";
import { createRefusalLimit } from "./reply/refusals.ts";
import { turnIdOf } from "./reply/rows.ts";
import { LruMap } from "./sessions/lru.ts";
import { createSessions } from "./sessions/sessions.ts";
import { readMemory, writeMemory } from "./store/account-memory.ts";
import { deadLetterCount } from "./store/dead-letters.ts";
import { readHistory, readHistoryEntry } from "./store/history.ts";
import { inboundCounts, type InboundCounts, openSessionKeys, openStopRequests } from "./store/inbox.ts";
import { lastTimes } from "./store/messages.ts";
import { oldestOpenPart, openPartCount, type OutboxRow } from "./store/outbox.ts";

/** Longest turn, in ms. */
const TURN_TIMEOUT_MS = 10 * 60 * 1000;

export interface PipelineOptions {
  readonly config: ConfigSource;
  readonly store: WatchedStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly hooks: Hooks;
  readonly agent: AgentRuntime;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: readonly ChannelPlugin<any>[];
  readonly commands: readonly CommandDefinition[];
  readonly tools: readonly ToolDefinition[];
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Random bytes that nobody can guess, for codes. */
  readonly secureBytes: (count: number) => Uint8Array;
  /** Names this process in turn rows. */
  readonly owner: string;
  readonly http?: HostServices["http"];
  /** Where files on the web come from, in place of the public internet. */
  readonly webFiles?: WebFiles;
  /** Free bytes of the disk that holds the data folder; without it the disk is not looked at. */
  readonly freeBytes?: () => Promise<number>;
}

/** Counts for status, metrics and tests: accepted = open + the sum of dispositions. */
export interface PipelineCounts {
  readonly messages: InboundCounts;
  /** Parts that are not settled. */
  readonly openParts: number;
  /** When the oldest of them was made, ms UTC; null when there are none. */
  readonly openPartsSince: number | null;
  /** Parts that were put aside and wait for the operator. */
  readonly deadLetters: number;
  readonly ambiguity: AmbiguityCounts;
  /** Messages of strangers over the rate, by `channel:account`, since the start: counted, not accepted. */
  readonly strangersCounted: Readonly<Record<string, number>>;
}

/** Something that keeps the gateway from taking messages in, in the words of its error. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** True where the sentence names a path, which is the operator's business. */
  readonly namesPath: boolean;
}

/** A running pipeline. */
export interface Pipeline {
  /** Takes up what an earlier process left open, then connects the accounts. */
  start(): Promise<void>;
  /** Stops intake, lets running turns finish for `graceMs`, then parks them; flushes. What is open is resumed at the next start. */
  stop(graceMs: number): Promise<void>;
  /** Accepts messages as a channel would. */
  receive(messages: readonly InboundMessage[]): ReturnType<ChannelHost["receive"]>;
  accounts(): readonly AccountStatus[];
  /** Brings accounts to what a new configuration says; turns that run go on. */
  changeAccounts(changes: readonly AccountChange[]): void;
  counts(): Promise<PipelineCounts>;
  /** Why no messages are taken in, most urgent first; empty when they are. */
  trouble(): readonly Trouble[];
  /** Where operators let people in and out. */
  readonly access: AccessDesk;
  /** Where operators look after what could not be delivered. */
  readonly deadLetters: DeadLetterDesk;
  /** What would become of a message, by the same decisions, with no effect. */
  dryRun(query: DryRunQuery): Promise<DryRun>;
  /** Resolves when no turn runs or waits in memory. */
  idle(): Promise<void>;
}

function proxyOf({ network: { proxy } }: GatewayConfig): Pick<ChannelHost, "proxy"> {
  return proxy === undefined ? {} : { proxy };
}

const ABANDONED = {
  user: { stage: "abort", code: "user", why: "it had not ended when the person asked to stop" },
  superseded: { stage: "abort", code: "superseded", why: "a later message took its place before it had ended" },
} as const;

/** Puts the pipeline together. Nothing runs before `start`. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { clock, logger, config } = options;
  const health = watchStoreHealth(options.store);
  const { store } = health;
  const room = createRoom({
    health,
    clock,
    logger,
    freeBytes: options.freeBytes,
    diskFloorMb: () => config.current().config.store.diskFloorMb ?? DISK_FLOOR_MB,
    onPause: (why) => alerts.storePaused(why),
  });
  const folder = createMediaFolder(options.dataFolder);
  const retention = createRetention({ store, media: folder, clock, logger });
  const answers = createOpenAnswers(store);
  const channels = new Map(options.channels.map((channel) => [channel.id, channel]));
  const approved = createApprovedSenders(store);
  const strangers = createStrangerRate(clock);
  const connections = createConnections({
    clock,
    logger,
    isBusy: answers.isBusy,
    lastTimes: (channel, account) => store.read((tx) => lastTimes(tx, { channel, account })),
    random: options.random,
    onConnected(channel, account) {
      worker.wakeAccount(channel, account);
      alerts.connected(channel, account);
    },
    onState(channel, account, state, error) {
      if (error) options.hooks.emit("channel:error", { channel, account, state, code: error.code });
      else if (state === "connected") options.hooks.emit("channel:ready", { channel, account });
    },
    onNeedsOperator: (channel, account, error) => alerts.accountNeedsOperator(channel, account, error),
    services: (channel, account) => ({
      receive,
      async unreadable(event) {
        room.require();
        return acceptUnreadable(event, channel, account, deps);
      },
      history: (conversation, page) => store.read((tx) => readHistory(tx, conversation, page)),
      message: (conversation, id) => store.read((tx) => readHistoryEntry(tx, conversation, id)),
      saveMedia: async (data, name) => {
        room.require();
        const { path, size } = await folder.save(data, name);
        return { id: basename(path), size };
      },
      openMedia: folder.open,
      memory: {
        get: (name) => store.read((tx) => readMemory(tx, { channel, account, name })),
        set: (name, value) => store.write((tx) => writeMemory(tx, { channel, account, name }, value, clock.now()), "durable"),
      },
      ...proxyOf(config.current().config),
      ...(options.http ? { http: options.http } : {}),
    }),
  });
  const rates = createRates({ clock, capsOf: (channel, account) => config.current().config.channels[channel]?.accounts[account]?.rates });
  const worker = createDeliveryWorker({
    store,
    clock,
    logger,
    hooks: options.hooks,
    random: options.random,
    rates,
    wayOut: (part) => wayOut(part, { config: config.current().config, channels, lineOf: connections.lineOf }),
    noticeOf: (row, part) =>
      undeliveredNotice(row, part, { config: config.current().config, channels, ids: options.ids, now: clock.now() }),
    onRejected: (channel, account, error) => connections.noteRejected(channel, account, error),
    onSent: (part, at) => connections.noteOutbound(part.conversation.channel, part.conversation.account, at),
  });
  const sessions = createSessions(store, clock, logger);
  const queue = createQueue({ store, clock, config, sessions, channels });
  const lanes = createLanes({
    look: queue.look,
    run: (turn) => answers.during(turn.row, runLaneTurn(turn, deps)),
    async abandon(row, reason) {
      // It may have begun before a crash, and blocks of it may still wait.
      await worker.cancelTurn(turnIdOf(row.id));
      await endInbound(row, ABANDONED[reason], reason === "user" ? "aborted" : "superseded", deps);
    },
    maxConcurrentTurns: config.current().config.gateway.maxConcurrentTurns,
    turnTimeoutMs: TURN_TIMEOUT_MS,
    clock,
    logger,
  });
  const send = (parts: readonly OutboxRow[]): void => worker.enqueue(parts);
  const isUp = (channel: string, account: string): boolean => connections.lineOf(channel, account) !== undefined;
  const alerts = createAlerts({ store, clock, ids: options.ids, logger, config, channels, isUp, send });
  const deadLetters = createDeadLetterDesk({ store, clock, running: { reload: worker.reload } });
  options.hooks.observe("delivery:dead", ({ part, code }) => alerts.partDead(part, code));
  const deps: Deps = {
    config,
    store,
    clock,
    ids: options.ids,
    logger,
    hooks: options.hooks,
    channels,
    connections,
    lanes,
    queue,
    heard: createHeard(),
    botLoops: createBotLoopGuard(clock, logger),
    amended: new LruMap(10_000),
    worker,
    rates,
    outboundMedia: createOutboundMedia({
      dataFolder: options.dataFolder,
      folder,
      webFiles: options.webFiles ?? createWebFiles({ clock }),
      logger,
    }),
    approved,
    strangers,
    secureBytes: options.secureBytes,
    refusedTurns: new LruMap(1000),
    owner: options.owner,
    reply: {
      agent: options.agent,
      sessions,
      commands: options.commands,
      tools: options.tools,
      media: createInboundMedia(folder, connections.transportOf, logger),
      refusals: createRefusalLimit(clock),
      untold: (turn) => untoldOf(turn, store),
      clock,
      logger,
    },
  };
  const closing = new AbortController();
  const receive: Pipeline["receive"] = async (messages) => {
    room.require();
    return dispatchInboundMessage(messages, deps);
  };
  return {
    async start() {
      await room.open();
      retention.open();
      await approved.load();
      reportIgnoredApprovals(config.current().config, approved, logger);
      await worker.start();
      deadLetters.keepPruned(closing.signal, logger);
      await endStaleBacklog({ config, store, clock, logger });
      const { open, stops } = await store.read(async (tx) => ({ open: await openSessionKeys(tx), stops: await openStopRequests(tx) }));
      // In one tick: a resumed turn finds its transport, and nothing new comes before what was open.
      for (const [channelId, { accounts }] of Object.entries(config.current().config.channels)) {
        const channel = deps.channels.get(channelId);
        for (const [account, own] of Object.entries(accounts)) if (channel) connections.open(channel, account, own);
      }
      for (const sessionKey of open) lanes.wake(sessionKey);
      // What somebody had stopped does not begin again.
      for (const { sessionKey, id } of stops) lanes.stop(sessionKey, id);
    },
    async stop(graceMs) {
      closing.abort();
      room.close();
      await retention.close();
      await connections.closeIntake();
      const grace = new AbortController();
      await Promise.race([lanes.idle(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      await lanes.close();
      await alerts.settled();
      await worker.close();
      await connections.close();
    },
    receive,
    trouble: () =>
      room.reasons().map(({ code, message, hint, detail }) => ({ code, message, hint, namesPath: detail["path"] !== undefined })),
    accounts: connections.statuses,
    changeAccounts(changes) {
      for (const change of changes) {
        const channel = deps.channels.get(change.channel);
        if (channel) connections.change(channel, change);
      }
    },
    counts: () =>
      store.read(async (tx) => ({
        messages: await inboundCounts(tx),
        openParts: await openPartCount(tx),
        openPartsSince: await oldestOpenPart(tx),
        deadLetters: await deadLetterCount(tx),
        ambiguity: worker.counts(),
        strangersCounted: strangers.counted(),
      })),
    access: createAccessDesk({ store, clock, ids: options.ids, config, channels, running: { approved, send } }),
    deadLetters,
    dryRun: (query) =>
      dryRun(query, {
        config: config.current(),
        channels,
        commands: options.commands,
        store,
        now: clock.now(),
        runningTurn: (sessionKey) => runningTurnOf(sessionKey, deps),
      }),
    idle: lanes.idle,
  };
}
