// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitUntil } from "./wait.mjs";

export const BIN = fileURLToPath(new URL("../../packages/gateway/dist/bin.js", import.meta.url));
const BARE_BOT = fileURLToPath(new URL("bare-bot.mjs", import.meta.url));

/** Unit of the CPU times in /proc: 1/100 s on every Linux that Node runs on (USER_HZ, proc(5)). */
const TICK_MS = 10;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * A process that is measured.
 * @typedef {object} Subject
 * @property {() => number} cpuMs User and system time of all its threads so far. NaN where there is no /proc.
 * @property {() => number} residentMb Memory that it holds now, in MB of 10^6 bytes. NaN where there is no /proc.
 * @property {() => Promise<void>} stop SIGTERM; SIGKILL when it is not gone after 12 s.
 */

/** Starts `node ARGS`; what it logs goes to a file, as under a supervisor. @param {readonly string[]} args @param {string} logFile @returns {Subject & { log(): string, ended(): boolean }} */
function start(args, logFile) {
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, args, { stdio: ["ignore", log, log] });
  running.add(child);
  const closed = once(child, "close").finally(() => running.delete(child));
  return {
    cpuMs: () => cpuMs(child.pid),
    residentMb: () => residentMb(child.pid),
    log: () => readFileSync(logFile, "utf8").slice(-3000),
    ended: () => !running.has(child),
    async stop() {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 12_000);
      await closed;
      clearTimeout(late);
    },
  };
}

/**
 * Starts a gateway from the build and waits until GET /readyz says 200.
 * @param {{ folder: string, config: string, nodeOptions?: readonly string[], command?: string }} options
 * @returns {Promise<Subject & { readyMs: number }>} `readyMs`: from spawn to the first 200.
 */
export async function startGateway({ folder, config, nodeOptions = [], command = BIN }) {
  const port = await freePort();
  const started = performance.now();
  const subject = start(
    [...nodeOptions, command, "start", "--config", config, "--data", join(folder, "data"), "--port", `${port}`],
    join(folder, "gateway.log"),
  );
  await waitUntil(
    () => isReady(port),
    () => `the gateway to be ready\n${subject.log()}`,
    { pauseMs: 4, giveUp: subject.ended },
  );
  return { ...subject, readyMs: performance.now() - started };
}

/** Starts the reference bot, with the model server or as an echo, and waits until it polls. @param {{ folder: string, emulator: import("./world.mjs").World["emulator"], modelUrl?: string, client?: "fetch" | "http" }} options */
export async function startBareBot({ folder, emulator, modelUrl, client = "fetch" }) {
  const subject = start(
    [BARE_BOT, emulator.token, emulator.apiRoot, ...(modelUrl ? [modelUrl, client] : [])],
    join(folder, "bare-bot.log"),
  );
  await waitUntil(
    () => emulator.polling,
    () => `the bare bot to poll\n${subject.log()}`,
    { giveUp: subject.ended },
  );
  return subject;
}

/** Runs `trunkline --help` and gives the ms from spawn to its end. */
export async function helpMs() {
  const started = performance.now();
  const child = spawn(process.execPath, [BIN, "--help"], { stdio: "ignore" });
  await once(child, "close");
  return performance.now() - started;
}

/** @param {number} port @returns {Promise<boolean>} */
function isReady(port) {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", agent: false, timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {number | undefined} pid */
function cpuMs(pid) {
  const fields = read(`/proc/${pid}/stat`)?.split(") ")[1]?.split(" ");
  // utime and stime are fields 14 and 15 of proc(5); the split leaves out the first two.
  return fields === undefined ? NaN : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** @param {number | undefined} pid */
function residentMb(pid) {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? NaN) * 1024) / 1e6;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
