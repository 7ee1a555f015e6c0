import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildChild } from "../crash/matrix/build-child.ts";

/** Builds what the tests of real processes run, once for all of them. Incremental: about two seconds when nothing changed. */
export async function setup(): Promise<void> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  run(`${root}/node_modules/typescript/bin/tsc`, "-b");
  run(`${root}/packages/gateway/bundle.mjs`);
  await buildChild();
}
