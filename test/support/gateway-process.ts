import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../packages/gateway/dist/bin.js", import.meta.url));

/** A gateway as its users run it: a process of its own, from the build. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  /** The address that it printed, with the sign-in token when this start made one. */
  readonly address: string;
  /** Everything on standard output so far. */
  out(): string;
  /** Everything on standard error so far; bounded. */
  log(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Runs the `trunkline` command to its end. */
export async function trunkline(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...options.env },
    ...(options.cwd ? { cwd: options.cwd } : {}),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  child.stdin.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

/** Starts a gateway and waits until it says that it is ready. Ended by its id when the test is, unless it ended before. */
export async function startGatewayProcess(args: readonly string[], env: Record<string, string> = {}): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [BIN, "start", "--port", "0", ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await closed;
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (log = (log + chunk).slice(-200_000)));
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  const address = await readyAddress(child, closed, () => log);
  return {
    child,
    address,
    out: () => out,
    log: () => log,
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
    async stop() {
      child.kill("SIGTERM");
      return (await closed)[0];
    },
  };
}

async function readyAddress(child: ChildProcess, closed: Promise<unknown>, log: () => string): Promise<string> {
  let out = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: string) => {
      out += chunk;
      const address = /Trunkline is ready: (\S+)/.exec(out)?.[1];
      if (address) resolve(address);
    });
    void closed.then(() => reject(new Error(`the gateway ended before it was ready:\n${out}\n${log()}`)));
  });
}
