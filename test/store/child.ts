import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const cache = fileURLToPath(new URL("../../packages/core/node_modules/.cache", import.meta.url));

/** Bundles children/<name>.ts, so that a plain Node runs today's source. Below core's node_modules, where its libraries are found. */
export async function bundleChild(name: string): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, "child-"));
  await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["trunkline-source"] },
    ssr: {
      noExternal: true,
      external: ["@photostructure/sqlite", "kysely", "pg"],
      resolve: { conditions: ["trunkline-source"] },
    },
    build: {
      ssr: fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url)),
      outDir,
      minify: false,
      rollupOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
  return {
    path: join(outDir, "child.mjs"),
    remove: () => rm(outDir, { recursive: true, force: true }),
  };
}

export interface Child {
  /** What it printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it has printed so many lines; rejects with its errors when it ends before. */
  printed(count: number): Promise<void>;
  /** SIGKILL; resolves when the process is gone and all it printed is in `lines`. */
  kill(): Promise<void>;
}

export function startChild(path: string, args: readonly string[]): Child {
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let errors = "";
  let ended = false;
  const changed = (): void => waiting.forEach((wake) => wake());
  createInterface({ input: child.stdout! }).on("line", (line) => {
    lines.push(line);
    changed();
  });
  child.stderr!.on("data", (chunk) => (errors += String(chunk)));
  const closed = once(child, "close").then(() => {
    ended = true;
    changed();
  });
  return {
    lines,
    printed: (count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (lines.length >= count) resolve();
          else if (ended) reject(new Error(`the child ended after ${lines.length} lines: ${errors}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
