import { formatDryRun } from "@trunkline/core";
import { type DryRunOptions, queryOf } from "./access.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { askOperator } from "./operator.ts";

/** Prints what would become of a message, decision by decision, without sending, storing or asking anything. */
export async function whyNotCommand(options: DryRunOptions, io: CliIo): Promise<ExitCode> {
  const run = await askOperator(options, io, "read", (api) => api.dryRun(queryOf(options)));
  if (!run) return EXIT.failed;
  io.out(options.json ? JSON.stringify(run, null, 2) : formatDryRun(run));
  return EXIT.ok;
}
