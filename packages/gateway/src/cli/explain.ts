import { formatExplanation } from "@trunkline/core";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";
import { askOperator } from "./operator.ts";

/** Prints every decision about one message, with the configuration line behind it. Works with and without a running gateway. */
export async function explainCommand(
  reference: string,
  options: ConfigOptions & { readonly json?: boolean },
  io: CliIo,
): Promise<ExitCode> {
  const explanation = await askOperator(options, io, "read", (api) => api.explain({ message: reference }));
  if (!explanation) return EXIT.failed;
  io.out(options.json ? JSON.stringify(explanation, null, 2) : formatExplanation(explanation));
  return EXIT.ok;
}
