import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds what the tests of real processes run. Incremental: about a second when nothing changed. */
export function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-b"], { cwd: root, stdio: "inherit" });
}
