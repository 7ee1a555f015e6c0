import { formatRoute } from "@trunkline/core";
import { type DryRunOptions, queryOf } from "./access.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { askOperator } from "./operator.ts";

/** Prints which agent answers in a conversation, and the line that says so. */
export async function routeCommand(options: DryRunOptions, io: CliIo): Promise<ExitCode> {
  const run = await askOperator(options, io, "read", (api) => api.dryRun(queryOf(options)));
  if (!run) return EXIT.failed;
  io.out(options.json ? JSON.stringify(run.route, null, 2) : formatRoute(run));
  return EXIT.ok;
}
