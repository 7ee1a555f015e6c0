import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, GatewayError } from "@trunkline/plugin-sdk";
import type { Draft, DraftFile } from "./draft.ts";

/** The files of a draft that are there already. */
export function filesInTheWay({ config, secrets }: Draft): readonly string[] {
  return [config, ...secrets].map(({ path }) => path).filter((path) => existsSync(path));
}

/**
 * Writes a draft, the configuration last. Each file is whole or not there, and a failure leaves no configuration that names a secret
 * which is missing. Without a pause in between, so that Ctrl-C comes before or after.
 *
 * @throws GatewayError CONFIG_WRITE_FAILED.
 */
export function writeDraft({ config, secrets }: Draft): void {
  for (const secret of secrets) writeWhole(secret, 0o700);
  writeWhole(config, 0o755);
}

function writeWhole({ path, text }: DraftFile, folderMode: number): void {
  const draft = `${path}.tmp`;
  let begun = false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    rmSync(draft, { force: true });
    begun = true;
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    if (begun) rmSync(draft, { force: true });
    throw new GatewayError("CONFIG_WRITE_FAILED", { detail: { file: path, reason: describeError(error) }, cause: error });
  }
}
