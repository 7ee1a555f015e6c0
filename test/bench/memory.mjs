// @ts-check
import { makeFolder } from "./config.mjs";
import { percentile } from "./numbers.mjs";
import { startBareBot, startGateway } from "./subject.mjs";
import { pause } from "./wait.mjs";
import { createWorld } from "./world.mjs";

const PER_SECOND = 50;

/** Messages a conversation before times count. Code that the engine has not compiled yet is not what a person waits for on the second day. */
const WARM_UP_ROUNDS = 5;

/**
 * Memory before and after answers that come at an even pace, and how long each took beyond the model's own time.
 * @param {{ answers: number, conversations: number, idleMs: number, quietMs: number, model: import("./model.mjs").Model }} options
 * @returns {Promise<import("./report.mjs").Row[]>}
 */
export async function measureMemoryAndLatency({ answers, conversations, idleMs, quietMs, model }) {
  const world = await createWorld({ conversations });
  const { folder, config } = makeFolder(world.emulator, model.url);
  const gateway = await startGateway({ folder, config });
  await pause(idleMs);
  const idle = gateway.residentMb();
  await world.burst(WARM_UP_ROUNDS * conversations);
  const times = await world.paced(answers, PER_SECOND);
  const busy = gateway.residentMb();
  await pause(quietMs);
  const after = gateway.residentMb();
  await gateway.stop();
  await world.close();

  const overhead = times.map(({ mark, ms }) => ms - (model.spent.get(mark) ?? NaN));
  const bare = await bareOverhead({ conversations, model, folder });
  return [
    {
      id: "memory-idle",
      what: `memory (RSS) after ${idleMs / 1000} s of quiet, Telegram + web`,
      value: idle,
      unit: "MB",
      target: { atMost: 110 },
    },
    { id: "memory-busy", what: `memory right after ${answers} answers`, value: busy, unit: "MB" },
    {
      id: "memory-after",
      what: `memory after ${answers} answers and ${quietMs / 1000} s of quiet`,
      value: after,
      unit: "MB",
      target: { atMost: 150 },
    },
    {
      id: "overhead-p50",
      what: `overhead per message at ${PER_SECOND}/s, p50`,
      value: percentile(overhead, 0.5),
      unit: "ms",
      target: { atMost: 5 },
    },
    {
      id: "overhead-p99",
      what: `overhead per message at ${PER_SECOND}/s, p99`,
      value: percentile(overhead, 0.99),
      unit: "ms",
      target: { atMost: 25 },
    },
    { id: "bare-overhead-p50", what: "  bare bot with the same model, p50", value: percentile(bare, 0.5), unit: "ms" },
    { id: "bare-overhead-p99", what: "  bare bot with the same model, p99", value: percentile(bare, 0.99), unit: "ms" },
  ];
}

/** The same of the bare bot, briefly. @param {{ conversations: number, folder: string, model: import("./model.mjs").Model }} options */
async function bareOverhead({ conversations, folder, model }) {
  const world = await createWorld({ conversations });
  const bot = await startBareBot({ folder, emulator: world.emulator, modelUrl: model.url });
  await world.burst(WARM_UP_ROUNDS * conversations);
  const times = await world.paced(300, PER_SECOND);
  await bot.stop();
  await world.close();
  return times.map(({ mark, ms }) => ms - (model.spent.get(mark) ?? NaN));
}
