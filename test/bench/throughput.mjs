// @ts-check
import { makeFolder } from "./config.mjs";
import { median } from "./numbers.mjs";
import { startBareBot, startGateway } from "./subject.mjs";
import { pause } from "./wait.mjs";
import { createWorld } from "./world.mjs";

/** @typedef {import("./world.mjs").World} World */

/** Lazy writes and timers that belong to the last messages. */
const AFTERGLOW_MS = 300;

/**
 * Bursts of messages, in turns to the gateway and to the bare bots, so that what else the machine does hits all alike.
 * The emulators and the model server run in this process, the subjects in theirs.
 * @param {{ rounds: number, perRound: number, conversations: number, modelUrl: string, nodeOptions?: readonly string[] }} options
 * @returns {Promise<import("./report.mjs").Row[]>}
 */
export async function measureThroughput({ rounds, perRound, conversations, modelUrl, nodeOptions = [] }) {
  const worlds = [];
  for (let number = 0; number < 4; number += 1) worlds.push(await createWorld({ conversations }));
  const [own, bare, lean, echo] = /** @type {[World, World, World, World]} */ (worlds);
  const { folder, config } = makeFolder(own.emulator, modelUrl);
  const runners = {
    gateway: createRunner(own, await startGateway({ folder, config, nodeOptions })),
    bare: createRunner(bare, await startBareBot({ folder, emulator: bare.emulator, modelUrl })),
    lean: createRunner(lean, await startBareBot({ folder, emulator: lean.emulator, modelUrl, client: "http" })),
    echo: createRunner(echo, await startBareBot({ folder, emulator: echo.emulator })),
  };
  const all = Object.values(runners);
  for (const runner of all) await runner.world.burst(2 * conversations); // not measured: sessions, connections and code get warm
  for (let round = 0; round < rounds; round += 1) {
    for (const runner of all) await runner.run(perRound);
  }
  for (const { stop } of all) await stop();
  return rowsOf(runners, rounds * perRound);
}

/** @typedef {{ perSecond: number, cpuMs: number, benchCpuMs: number, calls: number }} Round cpuMs: of the subject, per message. */

/** @param {World} world @param {import("./subject.mjs").Subject} subject */
function createRunner(world, subject) {
  /** @type {Round[]} */
  const rounds = [];
  return {
    world,
    rounds,
    /** @param {number} count */
    async run(count) {
      await pause(AFTERGLOW_MS);
      const [cpu, bench, calls] = [subject.cpuMs(), benchCpuMs(), world.calls()];
      const seconds = await world.burst(count);
      await pause(AFTERGLOW_MS);
      rounds.push({
        perSecond: count / seconds,
        cpuMs: (subject.cpuMs() - cpu) / count,
        benchCpuMs: (benchCpuMs() - bench) / count,
        calls: (world.calls() - calls) / count,
      });
    },
    async stop() {
      await subject.stop();
      await world.close();
    },
  };
}

function benchCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @param {Record<"gateway" | "bare" | "lean" | "echo", ReturnType<typeof createRunner>>} runners @param {number} messages @returns {import("./report.mjs").Row[]} */
function rowsOf({ gateway, bare, lean, echo }, messages) {
  /** @param {ReturnType<typeof createRunner>} runner @param {keyof Round} key */
  const all = (runner, key) => runner.rounds.map((round) => round[key]);
  /** The ratio of rounds that followed each other. @param {keyof Round} key */
  const ratios = (key) => gateway.rounds.map((round, index) => round[key] / (bare.rounds[index]?.[key] ?? NaN));
  /** @param {string} id @param {string} what @param {readonly number[]} samples @param {string} unit @param {import("./report.mjs").Row["target"]} [target] @returns {import("./report.mjs").Row} */
  const row = (id, what, samples, unit, target) => ({ id, what, value: median(samples), unit, samples, ...(target ? { target } : {}) });
  return [
    row("throughput", `throughput, ${messages} messages`, all(gateway, "perSecond"), "/s"),
    row("bare-throughput", "  bare bot with the same model", all(bare, "perSecond"), "/s"),
    row("lean-throughput", "  the same on node:http instead of fetch", all(lean, "perSecond"), "/s"),
    row("echo-throughput", "  bare echo bot", all(echo, "perSecond"), "/s"),
    row("throughput-ratio", "throughput, beside the bare bot with a model", ratios("perSecond"), "x", { atLeast: 0.6 }),
    row("cpu", "CPU per message", all(gateway, "cpuMs"), "ms"),
    row("bare-cpu", "  bare bot with the same model", all(bare, "cpuMs"), "ms"),
    row("lean-cpu", "  the same on node:http instead of fetch", all(lean, "cpuMs"), "ms"),
    row("echo-cpu", "  bare echo bot", all(echo, "cpuMs"), "ms"),
    row("cpu-ratio", "CPU per message, beside the bare bot with a model", ratios("cpuMs"), "x", { atMost: 1.7 }),
    row("calls", "Bot API calls per message", all(gateway, "calls"), ""),
    row("bench-cpu", "CPU of the bench itself per message", all(gateway, "benchCpuMs"), "ms"),
    row("bare-bench-cpu", "  while the bare bot with a model ran", all(bare, "benchCpuMs"), "ms"),
  ];
}
