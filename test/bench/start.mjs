// @ts-check
import { makeFolder } from "./config.mjs";
import { median } from "./numbers.mjs";
import { helpMs, startGateway } from "./subject.mjs";
import { createWorld } from "./world.mjs";

/** Time to start: a gateway on a new data folder, then again on the same one, and `--help`. @param {{ starts: number, modelUrl: string }} options @returns {Promise<import("./report.mjs").Row[]>} */
export async function measureStart({ starts, modelUrl }) {
  const world = await createWorld({ conversations: 1 });
  const { folder, config } = makeFolder(world.emulator, modelUrl);
  const ready = [];
  for (let run = 0; run <= starts; run += 1) {
    const gateway = await startGateway({ folder, config });
    ready.push(gateway.readyMs);
    await gateway.stop();
  }
  await world.close();
  const help = [];
  for (let run = 0; run < starts; run += 1) help.push(await helpMs());
  const [first = NaN, ...again] = ready;
  return [
    {
      id: "ready",
      what: "spawn to /readyz 200, Telegram + web",
      value: median(again),
      unit: "ms",
      target: { atMost: 1000 },
      samples: again,
    },
    { id: "ready-first", what: "the same on a new data folder", value: first, unit: "ms", target: { atMost: 1000 } },
    { id: "help", what: "trunkline --help", value: median(help), unit: "ms", target: { atMost: 150 }, samples: help },
  ];
}
