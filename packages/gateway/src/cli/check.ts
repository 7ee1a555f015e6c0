import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { type ConfigOptions, loadForCli } from "./load.ts";

/** Checks the configuration without starting anything. */
export async function checkCommand(options: ConfigOptions, io: CliIo): Promise<ExitCode> {
  const loaded = await loadForCli(options, io);
  if (!loaded) return EXIT.failed;
  const warnings = loaded.warnings === 0 ? "" : `, ${loaded.warnings} warning${loaded.warnings === 1 ? "" : "s"}`;
  io.out(`${loaded.file ?? "the built-in demo configuration"}: no errors${warnings}`);
  return EXIT.ok;
}
