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
import { type AccountStatus, createConnections, type HostServices } from "./connections/connections.ts";
import { createDeliveryWorker, type AmbiguityCounts } from "./delivery/worker.ts";
import type { Deps } from "./deps.ts";
import { dispatchInboundMessage, runLaneTurn } from "./dispatch.ts";
import { acceptUnreadable } from "./inbound/unreadable.ts";
import { createLanes } from "./lanes/lanes.ts";
import { createInboundMedia } from "./media/inbound-media.ts";
import { createMediaFolder } from "./media/media-folder.ts";
import { createOutboundMedia } from "./media/outbound-media.ts";
import { endInbound } from "./reply/open-turn.ts";
import { createRefusalLimit } from "./reply/refusals.ts";
import { createSessions } from "./sessions/sessions.ts";
import { readHistory } from "./store/history.ts";
import { inboundCounts, type InboundCounts, openInboundOfSession, openSessionKeys } from "./store/inbox.ts";
import { openPartCount } from "./store/outbox.ts";

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
  counts(): Promise<PipelineCounts>;
  /** Resolves when no turn runs or waits in memory. */
  idle(): Promise<void>;
}

/** Puts the pipeline together. Nothing runs before `start`. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { store, clock, logger, config } = options;
  const folder = createMediaFolder(options.dataFolder);
  const connections = createConnections({
    clock,
    logger,
    random: options.random,
    onConnected: (channel, account) => worker.wakeAccount(channel, account),
    services: (channel, account) => ({
      receive: (messages) => dispatchInboundMessage(messages, deps),
      unreadable: (event) => acceptUnreadable(event, channel, account, deps),
      history: (conversation, { limit }) => store.read((tx) => readHistory(tx, conversation, limit)),
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
    onSent: (part, at) => connections.noteOutbound(part.conversation.channel, part.conversation.account, at),
  });
  const lanes = createLanes({
    next: (sessionKey) => store.read((tx) => openInboundOfSession(tx, { sessionKey, limit: 2 })),
    run: (turn) => runLaneTurn(turn, deps),
    abandon: (row) => endInbound(row, { stage: "abort", code: "user", why: "it waited when the person asked to stop" }, "aborted", deps),
    maxConcurrentTurns: config.current().config.gateway.maxConcurrentTurns,
    turnTimeoutMs: TURN_TIMEOUT_MS,
    clock,
    logger,
  });
  const deps: Deps = {
    config,
    store,
    clock,
    ids: options.ids,
    logger,
    hooks: options.hooks,
    channels: new Map(options.channels.map((channel) => [channel.id, channel])),
    connections,
    lanes,
    worker,
    outboundMedia: createOutboundMedia(options.dataFolder, folder, logger),
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
      await worker.start();
      const open = await store.read((tx) => openSessionKeys(tx));
      // In one tick: a resumed turn finds its transport, and nothing new comes before what was open.
      for (const [channelId, { accounts }] of Object.entries(config.current().config.channels)) {
        const channel = deps.channels.get(channelId);
        for (const [account, own] of Object.entries(accounts)) if (channel) connections.open(channel, account, own);
      }
      for (const sessionKey of open) lanes.wake(sessionKey);
    },
    async stop(graceMs) {
      await connections.closeIntake();
      const grace = new AbortController();
      await Promise.race([lanes.idle(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      await lanes.close();
      await worker.close();
      await connections.close();
    },
    receive: (messages) => dispatchInboundMessage(messages, deps),
    accounts: connections.statuses,
    counts: () =>
      store.read(async (tx) => ({ messages: await inboundCounts(tx), openParts: await openPartCount(tx), ambiguity: worker.counts() })),
    idle: lanes.idle,
  };
}
