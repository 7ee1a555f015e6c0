import { basename } from "node:path";
import {
  type AgentRuntime,
  type ChannelHost,
  type ChannelPlugin,
  type Clock,
  type CommandDefinition,
  type ConfigSource,
  type Hooks,
  type Ids,
  type InboundMessage,
  type Logger,
  type Store,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { createAlerts } from "./alerts/alerts.ts";
import type { AccountChange } from "./config/diff.ts";
import { type AccountStatus, createConnections, type HostServices } from "./connections/connections.ts";
import { createOpenAnswers } from "./connections/open-answers.ts";
import { createDeliveryWorker, type AmbiguityCounts } from "./delivery/worker.ts";
import type { Deps } from "./deps.ts";
import { dispatchInboundMessage, runLaneTurn, runningTurnOf } from "./dispatch.ts";
import { dryRun, type DryRun, type DryRunQuery } from "./explain/dry-run.ts";
import { acceptUnreadable } from "./inbound/unreadable.ts";
import { createLanes } from "./lanes/lanes.ts";
import { createInboundMedia } from "./media/inbound-media.ts";
import { createMediaFolder } from "./media/media-folder.ts";
import { createOutboundMedia } from "./media/outbound-media.ts";
import { createApprovedSenders, reportIgnoredApprovals } from "./pairing/approved.ts";
import { type AccessDesk, createAccessDesk } from "./pairing/desk.ts";
import { createStrangerRate } from "./pairing/stranger-rate.ts";
import { endInbound } from "./reply/open-turn.ts";
import { createRefusalLimit } from "./reply/refusals.ts";
import { LruMap } from "./sessions/lru.ts";
import { createSessions } from "./sessions/sessions.ts";
import { readMemory, writeMemory } from "./store/account-memory.ts";
import { readHistory, readHistoryEntry } from "./store/history.ts";
import { inboundCounts, type InboundCounts, openInboundOfSession, openSessionKeys, openStopRequests } from "./store/inbox.ts";
import { openPartCount, type OutboxRow } from "./store/outbox.ts";

/** Longest turn, in ms. */
const TURN_TIMEOUT_MS = 10 * 60 * 1000;

export interface PipelineOptions {
  readonly config: ConfigSource;
  readonly store: Store;
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
}

/** Counts for status, metrics and tests: accepted = open + the sum of dispositions. */
export interface PipelineCounts {
  readonly messages: InboundCounts;
  /** Parts that are not settled. */
  readonly openParts: number;
  readonly ambiguity: AmbiguityCounts;
  /** Messages of strangers over the rate, by `channel:account`, since the start: counted, not accepted. */
  readonly strangersCounted: Readonly<Record<string, number>>;
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
  /** Where operators let people in and out. */
  readonly access: AccessDesk;
  /** What would become of a message, by the same decisions, with no effect. */
  dryRun(query: DryRunQuery): Promise<DryRun>;
  /** Resolves when no turn runs or waits in memory. */
  idle(): Promise<void>;
}

/** Puts the pipeline together. Nothing runs before `start`. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { store, clock, logger, config } = options;
  const folder = createMediaFolder(options.dataFolder);
  const answers = createOpenAnswers(store);
  const channels = new Map(options.channels.map((channel) => [channel.id, channel]));
  const approved = createApprovedSenders(store);
  const strangers = createStrangerRate(clock);
  const connections = createConnections({
    clock,
    logger,
    isBusy: answers.isBusy,
    random: options.random,
    onConnected(channel, account) {
      worker.wakeAccount(channel, account);
      alerts.connected(channel, account);
    },
    onNeedsOperator: (channel, account, error) => alerts.accountNeedsOperator(channel, account, error),
    services: (channel, account) => ({
      receive: (messages) => dispatchInboundMessage(messages, deps),
      unreadable: (event) => acceptUnreadable(event, channel, account, deps),
      history: (conversation, page) => store.read((tx) => readHistory(tx, conversation, page)),
      message: (conversation, id) => store.read((tx) => readHistoryEntry(tx, conversation, id)),
      saveMedia: async (data, name) => {
        const { path, size } = await folder.save(data, name);
        return { id: basename(path), size };
      },
      openMedia: folder.open,
      memory: {
        get: (name) => store.read((tx) => readMemory(tx, { channel, account, name })),
        set: (name, value) => store.write((tx) => writeMemory(tx, { channel, account, name }, value, clock.now()), "durable"),
      },
      ...(options.http ? { http: options.http } : {}),
    }),
  });
  const worker = createDeliveryWorker({
    store,
    clock,
    logger,
    hooks: options.hooks,
    random: options.random,
    lineOf: connections.lineOf,
    onRejected: (channel, account, error) => connections.noteRejected(channel, account, error),
    onSent: (part, at) => connections.noteOutbound(part.conversation.channel, part.conversation.account, at),
  });
  const lanes = createLanes({
    next: (sessionKey) => store.read((tx) => openInboundOfSession(tx, { sessionKey, limit: 2 })),
    run: (turn) => answers.during(turn.row, runLaneTurn(turn, deps)),
    abandon: (row) => endInbound(row, { stage: "abort", code: "user", why: "it waited when the person asked to stop" }, "aborted", deps),
    maxConcurrentTurns: config.current().config.gateway.maxConcurrentTurns,
    turnTimeoutMs: TURN_TIMEOUT_MS,
    clock,
    logger,
  });
  const send = (parts: readonly OutboxRow[]): void => worker.enqueue(parts);
  const isUp = (channel: string, account: string): boolean => connections.lineOf(channel, account) !== undefined;
  const alerts = createAlerts({ store, clock, ids: options.ids, logger, config, channels, isUp, send });
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
    worker,
    outboundMedia: createOutboundMedia(options.dataFolder, folder, logger),
    approved,
    strangers,
    secureBytes: options.secureBytes,
    refusedTurns: new LruMap(1000),
    owner: options.owner,
    reply: {
      agent: options.agent,
      sessions: createSessions(store, clock),
      commands: options.commands,
      tools: options.tools,
      media: createInboundMedia(folder, connections.transportOf, logger),
      refusals: createRefusalLimit(clock),
      clock,
      logger,
    },
  };
  return {
    async start() {
      await approved.load();
      reportIgnoredApprovals(config.current().config, approved, logger);
      await worker.start();
      const { open, stops } = await store.read(async (tx) => ({ open: await openSessionKeys(tx), stops: await openStopRequests(tx) }));
      // In one tick: a resumed turn finds its transport, and nothing new comes before what was open.
      for (const [channelId, { accounts }] of Object.entries(config.current().config.channels)) {
        const channel = deps.channels.get(channelId);
        for (const [account, own] of Object.entries(accounts)) if (channel) connections.open(channel, account, own);
      }
      for (const sessionKey of open) lanes.wake(sessionKey);
      // Who asked to stop before the process died was told nothing yet, and what they stopped must not come back.
      for (const { sessionKey, id } of stops) lanes.stop(sessionKey, id);
    },
    async stop(graceMs) {
      await connections.closeIntake();
      const grace = new AbortController();
      await Promise.race([lanes.idle(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      await lanes.close();
      await alerts.settled();
      await worker.close();
      await connections.close();
    },
    receive: (messages) => dispatchInboundMessage(messages, deps),
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
        ambiguity: worker.counts(),
        strangersCounted: strangers.counted(),
      })),
    access: createAccessDesk({ store, clock, ids: options.ids, config, channels, running: { approved, send } }),
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
