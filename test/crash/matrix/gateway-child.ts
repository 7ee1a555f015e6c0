import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PRELOAD = new URL("../child/preload.mjs", import.meta.url).href;

/** An event of a run at which the process can die: its name, and the how-manieth of that name it is, from 1. */
export interface Point {
  readonly name: string;
  readonly occurrence: number;
}

/** A gateway process whose events are numbered. */
export interface GatewayChild {
  /** Where it listens; empty when it died before. */
  readonly url: string;
  /** Resolves when the process is gone, however it ended. */
  readonly ended: Promise<void>;
  isGone(): boolean;
  /** Begins a run: what happens is counted from here on, and the process dies at the point. */
  begin(kill?: Point): Promise<void>;
  /** Ends the run: from here on nothing is counted. */
  end(): Promise<void>;
  /** The names of the events of the run so far, in order. */
  trace(): readonly string[];
  log(): string;
  /** SIGKILL from outside; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface GatewayChildOptions {
  /** The file of the child, such as `CHILD`. */
  readonly program: string;
  /** Holds the configuration `trunkline.yaml` and the data folder. */
  readonly folder: string;
  /** Who runs the turns; see story.ts. */
  readonly agent: "built-in" | "scripted";
  /** A rule that is taken away; see child/faults.mjs. */
  readonly fault?: string | undefined;
}

/** A process that has loaded the gateway's code and waits, so that a restart takes no longer than the gateway's own part of it. */
export interface Standby {
  /**
   * Starts the gateway; resolves when it is ready, or gone at the point. Rejects with its log when it ends otherwise. With `begin`, a run
   * begins with the start itself.
   */
  start(begin?: { readonly kill?: Point }): Promise<GatewayChild>;
  kill(): Promise<void>;
}

let made = 0;

/** Makes a process that stands by with the built gateway and the stories' plugin. */
export function prepareGateway({ program, folder, agent, fault }: GatewayChildOptions): Standby {
  made += 1;
  const traceFile = join(folder, `trace-${made}`);
  const logFile = join(folder, `log-${made}`);
  const files = [openSync(logFile, "w"), openSync(traceFile, "w")] as const;
  const child = spawn(process.execPath, ["--import", PRELOAD, program, folder, agent], {
    stdio: ["ignore", files[0], files[0], files[1], "ipc"],
    env: { ...process.env, ...(fault === undefined ? {} : { CRASH_FAULT: fault }) },
  });
  for (const file of files) closeSync(file);
  const ended = once(child, "exit").then(() => {});
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  const log = (): string => readFileSync(logFile, "utf8");
  const loaded = told(child, "loaded", log);
  loaded.catch(() => {}); // told by `start`
  return {
    kill,
    async start(begin) {
      await loaded;
      const runs = runsOf(child, traceFile, log);
      const url = await ask(child, { start: true, ...(begin === undefined ? {} : { begin }) }, "ready", log).catch((error: unknown) => {
        if (begin?.kill === undefined || child.signalCode !== "SIGKILL") throw error;
        return "";
      });
      return { url: url as string, ended, kill, log, ...runs };
    },
  };
}

type Runs = Pick<GatewayChild, "isGone" | "begin" | "end" | "trace">;

function runsOf(child: ChildProcess, traceFile: string, log: () => string): Runs {
  const written = (): string => readFileSync(traceFile, "utf8");
  let before = 0;
  return {
    isGone() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async begin(kill) {
      before = written().length;
      await ask(child, { begin: kill === undefined ? {} : { kill } }, "done", log);
    },
    end: async () => void (await ask(child, { end: true }, "done", log)),
    trace: () => written().slice(before).split("\n").slice(0, -1),
  };
}

/** Sends a message to the child and gives the value of the field in its answer. */
function ask(child: ChildProcess, message: Readonly<Record<string, unknown>>, field: string, log: () => string): Promise<unknown> {
  const answer = told(child, field, log);
  if (child.connected) child.send(message);
  return answer;
}

/** The value of the next message of the child that has this field. */
function told(child: ChildProcess, field: string, log: () => string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off("message", hear);
      child.off("exit", lost);
    };
    const hear = (message: unknown): void => {
      if (typeof message !== "object" || message === null || !(field in message)) return;
      stop();
      resolve((message as Record<string, unknown>)[field]);
    };
    const lost = (): void => {
      stop();
      reject(new Error(`the gateway ended before it said "${field}":\n${log().slice(-3000)}`));
    };
    child.on("message", hear);
    child.once("exit", lost);
    if (child.exitCode !== null || child.signalCode !== null) lost();
  });
}
