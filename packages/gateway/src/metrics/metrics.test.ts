import type { AccountStatus, PipelineCounts } from "@trunkline/core";
import { createHooks } from "@trunkline/core";
import { silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { afterEach, expect, it, vi } from "vitest";
import { createMetrics, type Metrics } from "./metrics.ts";

let metrics: Metrics;
afterEach(() => metrics.close());

const COUNTS: PipelineCounts = {
  messages: { accepted: 7, open: 2, duplicates: 3, dispositions: { replied: 4, denied: 1 } },
  openParts: 5,
  openPartsSince: null,
  deadLetters: 2,
  ambiguity: { ambiguous: 6, foundSent: 2, foundAbsent: 1, undecidedResent: 0, undecidedHeld: 0 },
  strangersCounted: { "telegram:main": 9 },
};

const TROUBLE = [{ code: "STORE_DISK_LOW", message: "low", hint: "free some", namesPath: false }];

function read(counts: PipelineCounts = COUNTS): Promise<string> {
  const account: AccountStatus = {
    channel: "telegram",
    account: "main",
    state: "deaf",
    lastSignAt: null,
    lastInboundAt: null,
    lastOutboundAt: null,
    lastError: null,
  };
  return metrics.text({ version: "9.9.9", startedAt: 5000, counts: async () => counts, accounts: () => [account], trouble: () => TROUBLE });
}

it("tells the counts of the store, as they are now and not added up from one look to the next", async () => {
  metrics = createMetrics();
  await read();
  const text = await read();
  expect(text).toContain("trunkline_messages_accepted_total 7\n");
  expect(text).toContain('trunkline_messages_ended_total{disposition="replied"} 4\n');
  expect(text).toContain("trunkline_messages_open 2\n");
  expect(text).toContain("trunkline_messages_duplicate_total 3\n");
  expect(text).toContain('trunkline_strangers_counted_total{account="telegram:main"} 9\n');
  expect(text).toContain("trunkline_outbox_open_parts 5\n");
  expect(text).toContain('trunkline_paused{reason="STORE_DISK_LOW"} 1\n');
  expect(text).toContain('trunkline_sends_ambiguous_total{result="foundSent"} 2\n');
  expect(text).toContain('trunkline_info{version="9.9.9"} 1\n');
  expect(text).toContain("trunkline_start_time_seconds 5\n");
});

it("shows each account in exactly one state", async () => {
  metrics = createMetrics();
  const text = await read();
  expect(text).toContain('trunkline_account_state{account="telegram:main",state="deaf"} 1\n');
  expect(text).toContain('trunkline_account_state{account="telegram:main",state="connected"} 0\n');
  expect(text.match(/^trunkline_account_state\{.* 1$/gm)).toHaveLength(1);
});

it("counts sends by outcome, from the hooks", async () => {
  metrics = createMetrics();
  const hooks = createHooks(systemClock, silentLogger);
  metrics.watch(hooks);
  hooks.emit("delivery:sent", { part: "a", turn: null, messageId: "1" });
  hooks.emit("delivery:dead", { part: "b", turn: null, code: "DELIVERY_REFUSED" });
  hooks.emit("delivery:sent", { part: "c", turn: null, messageId: "2" });
  await vi.waitFor(async () => expect(await read()).toContain('trunkline_sends_total{outcome="sent"} 2\n'));
  expect(await read()).toContain('trunkline_sends_total{outcome="dead"} 1\n');
});

it("measures model calls: how long, with what outcome, and how many tokens", async () => {
  metrics = createMetrics();
  metrics.modelCall({ turn: "tn_1", model: "a/b", ms: 1500, usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 40 }, cost: 0.25 });
  metrics.modelCall({ turn: "tn_1", model: "a/b", ms: 10, code: "MODEL_AUTH" });
  const text = await read();
  expect(text).toContain('trunkline_model_call_seconds_sum{model="a/b",outcome="ok"} 1.5\n');
  expect(text).toContain('trunkline_model_call_seconds_count{model="a/b",outcome="MODEL_AUTH"} 1\n');
  expect(text).toContain('trunkline_model_tokens_total{model="a/b",direction="in"} 100\n');
  expect(text).toContain('trunkline_model_tokens_total{model="a/b",direction="out"} 20\n');
  expect(text).toContain('trunkline_model_tokens_total{model="a/b",direction="cached"} 40\n');
  expect(text).toContain('trunkline_model_cost_dollars_total{model="a/b"} 0.25\n');
});

it("tells how old the oldest part is that waits", async () => {
  const clock = createVirtualClock(1_000_000);
  metrics = createMetrics(clock);
  expect(await read({ ...COUNTS, openPartsSince: 910_000 })).toContain("trunkline_outbox_oldest_seconds 90\n");
  expect(await read()).toContain("trunkline_outbox_oldest_seconds 0\n");
});

it("counts how often an account was connected again, and its troubles", async () => {
  metrics = createMetrics();
  const hooks = createHooks(systemClock, silentLogger);
  metrics.watch(hooks);
  const account = { channel: "telegram", account: "main" };
  hooks.emit("channel:ready", account);
  hooks.emit("channel:error", { ...account, state: "backing-off", code: "CHANNEL_FAILED" });
  hooks.emit("channel:ready", account);
  hooks.emit("channel:ready", { channel: "web", account: "main" });
  await vi.waitFor(async () => expect(await read()).toContain('trunkline_account_reconnects_total{account="web:main"} 0\n'));
  expect(await read()).toContain('trunkline_account_reconnects_total{account="telegram:main"} 1\n');
  expect(await read()).toContain('trunkline_account_errors_total{account="telegram:main",code="CHANNEL_FAILED"} 1\n');
});

it("knows the process: memory, and how late the event loop is", async () => {
  metrics = createMetrics();
  const text = await read();
  expect(text).toMatch(/^trunkline_memory_bytes\{kind="rss"\} \d{7,}$/m);
  expect(text).toMatch(/^trunkline_event_loop_delay_seconds\{quantile="0.99"\} [\d.e-]+$/m);
});
