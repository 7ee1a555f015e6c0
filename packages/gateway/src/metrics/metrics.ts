import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { AccountStatus, ModelCall, PipelineCounts, Trouble } from "@trunkline/core";
import { type AccountState, type Clock, type Hooks, systemClock } from "@trunkline/plugin-sdk";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { createTurnTimes } from "./turn-times.ts";

/** What is looked at when somebody asks; nothing of it is watched in between. */
export interface MetricsSource {
  readonly version: string;
  /** ms UTC. */
  readonly startedAt: number;
  counts(): Promise<PipelineCounts>;
  accounts(): readonly AccountStatus[];
  trouble(): readonly Trouble[];
}

/** The numbers of a gateway for Prometheus. */
export interface Metrics {
  /** Counts one finished model call. */
  modelCall(call: ModelCall): void;
  /** Counts sends and connections, and measures turns, as their hooks tell. */
  watch(hooks: Hooks): void;
  /** The numbers now, in Prometheus' text format. */
  text(source: MetricsSource): Promise<string>;
  close(): void;
}

/** Every state is there for every account, so that a graph has no gaps. */
const STATES: readonly AccountState[] = ["stopped", "starting", "connected", "deaf", "backing-off", "needs-operator"];

/** Upper bounds, s: a first sentence takes about one, a long answer with thinking some minutes. */
const MODEL_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320];

/** How often the delay of the event loop is measured, ms. */
const DELAY_RESOLUTION_MS = 20;

/**
 * Creates the numbers, in a registry of their own. Counts that the store keeps are read when somebody asks, and go on after a restart;
 * what is counted here begins at 0 with each start. No number has a label that people outside can choose.
 */
export function createMetrics(clock: Clock = systemClock): Metrics {
  const registry = new Registry();
  const sends = new Counter({
    name: "trunkline_sends_total",
    help: "Parts that were settled since the start, by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of ["sent", "dead"]) sends.inc({ outcome }, 0);
  const recordCall = modelCalls(registry);
  const times = createTurnTimes(registry, clock);
  const connections = countConnections(registry);
  const fill = scraped(registry);
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  return {
    modelCall(call) {
      recordCall(call);
      times.modelCall(call);
    },
    watch(hooks) {
      times.watch(hooks);
      connections.watch(hooks);
      hooks.observe("delivery:sent", () => sends.inc({ outcome: "sent" }));
      hooks.observe("delivery:dead", () => sends.inc({ outcome: "dead" }));
    },
    async text(source) {
      fill(source, await source.counts(), delay, clock.now());
      return registry.metrics();
    },
    close: () => void delay.disable(),
  };
}

function modelCalls(registry: Registry): Metrics["modelCall"] {
  const registers = [registry];
  const seconds = new Histogram({
    name: "trunkline_model_call_seconds",
    help: "Time of one model call from the request to its end.",
    labelNames: ["model", "outcome"],
    buckets: MODEL_SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: "trunkline_model_tokens_total",
    help: "Tokens since the start, as the providers reported them.",
    labelNames: ["model", "direction"],
    registers,
  });
  const dollars = new Counter({
    name: "trunkline_model_cost_dollars_total",
    help: "US dollars since the start, by the models' listed prices; nothing for a model without one.",
    labelNames: ["model"],
    registers,
  });
  return ({ model, ms, code, usage, cost }) => {
    seconds.observe({ model, outcome: code ?? "ok" }, ms / 1000);
    if (cost !== undefined) dollars.inc({ model }, cost);
    if (usage === undefined) return;
    tokens.inc({ model, direction: "in" }, usage.inputTokens);
    tokens.inc({ model, direction: "cached" }, usage.cachedTokens ?? 0);
    tokens.inc({ model, direction: "out" }, usage.outputTokens);
  };
}

/** Connections that were made anew, and what went wrong with them. */
function countConnections(registry: Registry): Pick<Metrics, "watch"> {
  const registers = [registry];
  const reconnects = new Counter({
    name: "trunkline_account_reconnects_total",
    help: "Times that an account was connected again since the start.",
    labelNames: ["account"],
    registers,
  });
  const errors = new Counter({
    name: "trunkline_account_errors_total",
    help: "Troubles that an account reported since the start, by the error's code.",
    labelNames: ["account", "code"],
    registers,
  });
  const known = new Set<string>(); // bounded by the accounts of the configuration
  return {
    watch(hooks) {
      hooks.observe("channel:ready", ({ channel, account }) => {
        const name = `${channel}:${account}`;
        reconnects.inc({ account: name }, known.has(name) ? 1 : 0);
        known.add(name);
      });
      hooks.observe("channel:error", ({ channel, account, code }) => errors.inc({ account: `${channel}:${account}`, code }));
    },
  };
}

/** The numbers that are only looked up; the returned function brings them up to date. */
function scraped(registry: Registry): (source: MetricsSource, counts: PipelineCounts, delay: IntervalHistogram, now: number) => void {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) => new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) => new Counter({ name, help, labelNames, registers });
  const info = gauge("trunkline_info", "1, with the version.", ["version"]);
  const startedAt = gauge("trunkline_start_time_seconds", "When this process started, Unix time.");
  const accepted = counter("trunkline_messages_accepted_total", "Messages that were accepted, over all starts.");
  const ended = counter("trunkline_messages_ended_total", "Messages that have their outcome, over all starts.", ["disposition"]);
  const open = gauge("trunkline_messages_open", "Messages without an outcome yet.");
  const duplicates = counter("trunkline_messages_duplicate_total", "Messages that came more than once, over all starts.");
  const strangers = counter("trunkline_strangers_counted_total", "Messages of strangers over the rate.", ["account"]);
  const parts = gauge("trunkline_outbox_open_parts", "Parts of answers that are not settled.");
  const age = gauge("trunkline_outbox_oldest_seconds", "Age of the oldest part that is not settled; 0 when all are.");
  const dead = gauge("trunkline_dead_letters", "Parts that could not be delivered and wait for the operator.");
  const ambiguous = counter("trunkline_sends_ambiguous_total", "Sends of unknown outcome since the start, and what became of them.", [
    "result",
  ]);
  const states = gauge("trunkline_account_state", "1 for the state that the account is in.", ["account", "state"]);
  const paused = gauge("trunkline_paused", "1 for each reason why no messages are taken in.", ["reason"]);
  const lag = gauge("trunkline_event_loop_delay_seconds", "Delay of the event loop since it was last asked for.", ["quantile"]);
  const memory = gauge("trunkline_memory_bytes", "Memory of this process.", ["kind"]);
  return (source, { messages, openParts, openPartsSince, deadLetters, ambiguity, strangersCounted }, delay, now) => {
    for (const metric of [info, accepted, ended, duplicates, strangers, ambiguous, states, paused]) metric.reset();
    info.set({ version: source.version }, 1);
    startedAt.set(source.startedAt / 1000);
    accepted.inc(messages.accepted);
    for (const [disposition, count] of Object.entries(messages.dispositions)) ended.inc({ disposition }, count);
    open.set(messages.open);
    duplicates.inc(messages.duplicates);
    for (const [account, count] of Object.entries(strangersCounted)) strangers.inc({ account }, count);
    parts.set(openParts);
    age.set(openPartsSince === null ? 0 : Math.max(0, now - openPartsSince) / 1000);
    dead.set(deadLetters);
    for (const [result, count] of Object.entries(ambiguity)) ambiguous.inc({ result }, count);
    for (const { code } of source.trouble()) paused.set({ reason: code }, 1);
    for (const { channel, account, state } of source.accounts())
      for (const one of STATES) states.set({ account: `${channel}:${account}`, state: one }, one === state ? 1 : 0);
    for (const [quantile, value] of [
      ["0.5", delay.percentile(50)],
      ["0.99", delay.percentile(99)],
      ["1", delay.max],
    ] as const)
      lag.set({ quantile }, Math.max(0, value / 1e9 - DELAY_RESOLUTION_MS / 1000));
    delay.reset();
    const { rss, heapUsed, external } = process.memoryUsage();
    for (const [kind, bytes] of Object.entries({ rss, heapUsed, external })) memory.set({ kind }, bytes);
  };
}
