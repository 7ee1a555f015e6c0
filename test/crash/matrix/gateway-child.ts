import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PRELOAD = new URL("../child/preload.mjs", import.meta.url).href;
const GATEWAY = fileURLToPath(new URL("../child/gateway.mjs", import.meta.url));

/** An event of a run at which the process can die: its name, and the how-manieth of that name it is, from 1. */
export interface Point {
  readonly name: string;
  readonly occurrence: number;
}

/** A gateway process whose events are numbered. */
export interface GatewayChild {
  readonly url: string;
  /** Resolves when the process is gone, however it ended. */
  readonly ended: Promise<void>;
  readonly isGone: boolean;
  /** Begins the run that is written down, and that may end at a point. Once for each process. */
  begin(kill?: Point): Promise<void>;
  /** The names of the events of the run so far, in order. */
  trace(): readonly string[];
  log(): string;
  /** SIGKILL from outside; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface GatewayChildOptions {
  readonly folder: string;
  readonly config: string;
  /** A rule that is taken away; see child/faults.mjs. */
  readonly fault?: string | undefined;
}

let started = 0;

/** Starts the built gateway with the stories' plugin; resolves when it is ready. Rejects with its log when it ends before. */
export async function startGatewayChild({ folder, config, fault }: GatewayChildOptions): Promise<GatewayChild> {
  started += 1;
  const traceFile = join(folder, `trace-${started}`);
  const logFile = join(folder, `log-${started}`);
  const files = [openSync(logFile, "w"), openSync(traceFile, "w")] as const;
  const child = spawn(process.execPath, ["--import", PRELOAD, GATEWAY, config, folder], {
    stdio: ["ignore", files[0], files[0], files[1], "ipc"],
    env: { ...process.env, ...(fault === undefined ? {} : { CRASH_FAULT: fault }) },
  });
  for (const file of files) closeSync(file);
  const log = (): string => readFileSync(logFile, "utf8");
  const ended = once(child, "exit").then(() => {});
  const ready = (await told(child, "ready", log)) as string;
  return {
    url: ready,
    ended,
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async begin(kill) {
      const began = told(child, "began", log);
      child.send({ begin: kill === undefined ? {} : { kill } });
      await began;
    },
    trace: () => readFileSync(traceFile, "utf8").split("\n").slice(0, -1),
    log,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The value of the next message of the child that has this field. */
function told(child: ChildProcess, field: string, log: () => string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown): void => {
      if (typeof message !== "object" || message === null || !(field in message)) return;
      child.off("message", hear);
      child.off("exit", lost);
      resolve((message as Record<string, unknown>)[field]);
    };
    const lost = (): void => reject(new Error(`the gateway ended before it said "${field}":\n${log().slice(-3000)}`));
    child.on("message", hear);
    child.once("exit", lost);
  });
}
