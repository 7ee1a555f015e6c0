import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds what the tests of real processes run. Incremental: about a second when nothing changed. */
export function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  run(`${root}/node_modules/typescript/bin/tsc`, "-b");
  run(`${root}/packages/gateway/bundle.mjs`);
}
