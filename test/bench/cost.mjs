// @ts-check
import { join } from "node:path";
import { createRedactor, silentLogger, STORE } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../../packages/gateway/dist/channels.js";
import { loadConfig } from "../../packages/gateway/dist/config/load.js";
import { startGateway } from "../../packages/gateway/dist/gateway.js";
import { makeFolder } from "./config.mjs";
import { median } from "./numbers.mjs";
import { waitUntil } from "./wait.mjs";
import { createWorld } from "./world.mjs";

/**
 * What one plain answer costs the database, by the store's own counters: a gateway in this process, a warm session, one message at a time.
 * test/stories/answer-cost.test.ts asserts the same.
 * @param {{ answers: number, modelUrl: string }} options
 * @returns {Promise<import("./report.mjs").Row[]>}
 */
export async function measureCost({ answers, modelUrl }) {
  const world = await createWorld({ conversations: 1 });
  const { folder, config } = makeFolder(world.emulator, modelUrl);
  const { gateway, store } = await startInProcess(folder, config);
  await world.burst(2);
  let before = await quietStats(store);
  /** @type {{ statements: number, control: number, durable: number, plain: number }[]} */
  const costs = [];
  for (let answer = 0; answer < answers; answer += 1) {
    await world.burst(1);
    const after = await quietStats(store);
    costs.push({
      statements: after.statements - before.statements,
      control: after.control - before.control,
      durable: after.commits.durable - before.commits.durable,
      plain: after.commits.plain - before.commits.plain,
    });
    before = after;
  }
  await gateway.stop();
  await world.close();
  /** @param {(cost: (typeof costs)[number]) => number} pick */
  const middle = (pick) => median(costs.map(pick));
  return [
    { id: "statements", what: "statements per plain answer", value: middle((cost) => cost.statements), unit: "", target: { atMost: 18 } },
    {
      id: "statements-control",
      what: "  with BEGIN, COMMIT and their like",
      value: middle((cost) => cost.statements + cost.control),
      unit: "",
    },
    {
      id: "commits-durable",
      what: "durable commits per plain answer",
      value: middle((cost) => cost.durable),
      unit: "",
      target: { atMost: 2 },
    },
    { id: "commits-plain", what: "  commits that do not wait for the disk", value: middle((cost) => cost.plain), unit: "" },
  ];
}

/** @param {string} folder @param {string} file */
async function startInProcess(folder, file) {
  const container = createContainer();
  const channels = await registerChannels(container);
  const loaded = loadConfig({ file, env: {}, channels, knownProviders: ["demo"] });
  if (!loaded.ok) throw new Error(`the configuration of the bench is wrong: ${JSON.stringify(loaded.issues)}`);
  const { config } = loaded.snapshot;
  const snapshot = { ...loaded.snapshot, config: { ...config, gateway: { ...config.gateway, port: 0 } } };
  const path = join(folder, "data-in-process");
  const data = { path, storeUrl: `sqlite:${join(path, "trunkline.db")}` };
  const gateway = await startGateway({ snapshot, data, container, logger: silentLogger, redactor: createRedactor() });
  return { gateway, store: container.get(STORE) };
}

/** The counters once lazy writes are in. @param {import("@trunkline/plugin-sdk").Store} store */
async function quietStats(store) {
  let last = store.stats();
  let same = 0;
  await waitUntil(
    () => {
      const now = store.stats();
      same = now.queued === 0 && now.statements === last.statements && now.control === last.control ? same + 1 : 0;
      last = now;
      return same === 10;
    },
    () => "the store to be quiet",
    { pauseMs: 10 },
  );
  return last;
}
