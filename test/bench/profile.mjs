// @ts-check
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeFolder } from "./config.mjs";
import { startGateway } from "./subject.mjs";
import { createWorld } from "./world.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = new URL("gateway.cpuprofile", import.meta.url);
const UNBUNDLED = fileURLToPath(new URL("unbundled.mjs", import.meta.url));
const SHOWN = 40;

/**
 * Where the gateway's time goes in a burst, by V8's sampling profiler: self time by function and by package.
 * @param {{ messages: number, conversations: number, modelUrl: string }} options
 */
export async function profileGateway({ messages, conversations, modelUrl }) {
  const world = await createWorld({ conversations });
  const { folder, config } = makeFolder(world.emulator, modelUrl);
  const into = ["--cpu-prof-dir", fileURLToPath(new URL(".", import.meta.url)), "--cpu-prof-name", "gateway.cpuprofile"];
  const nodeOptions = ["--cpu-prof", "--cpu-prof-interval", "200", ...into];
  const gateway = await startGateway({ folder, config, nodeOptions, command: UNBUNDLED });
  await world.burst(2 * conversations);
  const cpu = gateway.cpuMs();
  const seconds = await world.burst(messages);
  const perMessage = (gateway.cpuMs() - cpu) / messages;
  await gateway.stop();
  await world.close();
  const head = `${(messages / seconds).toFixed(0)} messages/s, ${perMessage.toFixed(2)} ms CPU per message while profiled; the profile: ${fileURLToPath(FILE)}`;
  return `${head}\n\n${summary(JSON.parse(readFileSync(FILE, "utf8")))}`;
}

/** @typedef {{ nodes: { id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[], samples: number[], timeDeltas: number[] }} CpuProfile */

/** @param {CpuProfile} profile */
function summary({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** @type {Map<string, number>} */
  const byFunction = new Map();
  /** @type {Map<string, number>} */
  const byOwner = new Map();
  let total = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)") return;
    const spent = (timeDeltas[index] ?? 0) / 1000;
    total += spent;
    const place = frame.url
      .replace("file://", "")
      .replace(ROOT, "")
      .replace(/.*node_modules\//, "");
    add(byFunction, `${frame.functionName || "(anonymous)"} ${place}${place === "" ? "" : `:${frame.lineNumber + 1}`}`, spent);
    add(byOwner, ownerOf(place), spent);
  });
  const share = (/** @type {number} */ spent) => `${((spent / total) * 100).toFixed(1).padStart(5)} %`;
  const top = (/** @type {Map<string, number>} */ map) =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN)
      .map(([name, spent]) => `${share(spent)}  ${name}`);
  return ["self time by owner", ...top(byOwner), "", "self time by function", ...top(byFunction)].join("\n");
}

/** @param {Map<string, number>} map @param {string} key @param {number} value */
function add(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}

/** @param {string} place */
function ownerOf(place) {
  if (place === "") return "(engine)";
  if (place.startsWith("node:")) return place.split("/").slice(0, 2).join("/");
  if (place.startsWith("packages/")) return place.replace("/dist/", "/").split("/").slice(0, 3).join("/");
  return place.startsWith("@") ? place.split("/").slice(0, 2).join("/") : (place.split("/")[0] ?? place);
}
