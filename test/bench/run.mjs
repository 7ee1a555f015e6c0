// @ts-check
// pnpm bench [--quick | --only start,memory,shaping,cost,markdown,throughput | --save-baseline | --profile]. README.md tells how to read it.
import { parseArgs } from "node:util";
import { measureCost } from "./cost.mjs";
import { describeMachine, load } from "./machine.mjs";
import { measureLargeMarkdown, measureMarkdown } from "./markdown.mjs";
import { measureMemoryAndLatency } from "./memory.mjs";
import { startModel } from "./model.mjs";
import { profileGateway } from "./profile.mjs";
import { readResult, toTable, writeResult } from "./report.mjs";
import { measureShaping } from "./shaping.mjs";
import { measureStart } from "./start.mjs";
import { measureThroughput } from "./throughput.mjs";

const BASELINE = new URL("baseline.json", import.meta.url);
const RESULT = new URL("result.json", import.meta.url);
const CONVERSATIONS = 200;

const { values: options } = parseArgs({
  options: { quick: { type: "boolean" }, only: { type: "string" }, "save-baseline": { type: "boolean" }, profile: { type: "boolean" } },
});

/** A quiet machine needs two minutes. */
const LONGEST_MS = 6 * 60_000;
setTimeout(() => {
  console.error(`given up after ${LONGEST_MS / 60_000} minutes: the machine is too busy to measure anything`);
  process.exit(1);
}, LONGEST_MS).unref();
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

/** @param {import("./model.mjs").Model} model @returns {Readonly<Record<string, () => Promise<import("./report.mjs").Row[]>>>} */
function benches(model) {
  const quick = options.quick ?? false;
  return {
    start: () => measureStart({ starts: quick ? 2 : 5, modelUrl: model.url }),
    memory: () =>
      measureMemoryAndLatency({
        answers: quick ? 200 : 1000,
        conversations: CONVERSATIONS,
        idleMs: quick ? 3000 : 10_000,
        quietMs: quick ? 3000 : 30_000,
        model,
      }),
    shaping: () => measureShaping({ rounds: quick ? 5 : 15 }),
    cost: () => measureCost({ answers: quick ? 5 : 20, modelUrl: model.url }),
    markdown: async () => [...measureMarkdown(), ...measureLargeMarkdown()],
    throughput: () =>
      measureThroughput({ rounds: quick ? 1 : 3, perRound: quick ? 600 : 1200, conversations: CONVERSATIONS, modelUrl: model.url }),
  };
}

async function main() {
  const model = await startModel();
  if (options.profile) {
    console.log(await profileGateway({ messages: options.quick ? 1000 : 4000, conversations: CONVERSATIONS, modelUrl: model.url }));
    return model.close();
  }
  const machine = await describeMachine();
  /** @type {import("./report.mjs").Row[]} */
  const rows = [];
  const all = benches(model);
  const names = options.only?.split(",") ?? Object.keys(all);
  for (const name of names) {
    const bench = all[name];
    if (bench === undefined) throw new Error(`there is no bench ${name}; there are ${Object.keys(all).join(", ")}`);
    console.error(`${name} ...`);
    rows.push(...(await bench()));
  }
  await model.close();
  const result = { at: new Date().toISOString(), machine: { ...machine, loadAfter: load() }, rows };
  const baseline = readResult(BASELINE);
  console.log(toTable(rows, baseline));
  console.log(`\n${JSON.stringify(result.machine)}`);
  writeResult(RESULT, result);
  if (options["save-baseline"]) writeResult(BASELINE, result);
}

await main();
