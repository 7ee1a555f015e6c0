import { Command, CommanderError, InvalidArgumentError } from "commander";
import { VERSION } from "../version.ts";
import { type CliIo, EXIT, type ExitCode, printError, processIo } from "./io.ts";
import type { ConfigOptions } from "./load.ts";
import type { StartOptions } from "./start.ts";

type JsonOption = { readonly json?: boolean };

/** Runs the `trunkline` command; gives its exit code. Each command's code is loaded when it runs, so that --help is instant. */
export async function runCli(args: readonly string[], io: CliIo = processIo()): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const run = (command: Promise<ExitCode>): Promise<void> => command.then((result) => void (code = result));
  const program = buildProgram(run, io);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printError(io, error);
    return EXIT.failed;
  }
}

function buildProgram(run: (command: Promise<ExitCode>) => Promise<void>, io: CliIo): Command {
  const program = new Command("trunkline")
    .description("A gateway between people on chat platforms and AI agents.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) })
    .showHelpAfterError("(trunkline --help shows how)");

  withConfig(program.command("start").description("run the gateway until it is told to stop"))
    .option("--port <number>", "listen here instead of gateway.port", port)
    .option("--host <address>", "listen on this address instead of gateway.host")
    .addHelpText("after", "\nExample:\n  trunkline start --config config/trunkline.yaml --data /var/lib/trunkline")
    .action((options: StartOptions) => run(import("./start.ts").then(({ startCommand }) => startCommand(options, io))));

  withConfig(program.command("check").description("check the configuration; prints every error with its line"))
    .addHelpText("after", "\nExample:\n  trunkline check --config config/trunkline.yaml")
    .action((options: ConfigOptions) => run(import("./check.ts").then(({ checkCommand }) => checkCommand(options, io))));

  withConfig(program.command("status").description("show how the running gateway is doing"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline status --json")
    .action((options: ConfigOptions & JsonOption) => run(import("./status.ts").then(({ statusCommand }) => statusCommand(options, io))));

  withConfig(program.command("explain").description("tell every decision about one message, with the line that made it"))
    .argument("<message>", "an id from the log (in_...), channel:account:conversation/messageId, or: last")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  trunkline explain last\n  trunkline explain telegram:main:123456/42")
    .action((reference: string, options: ConfigOptions & JsonOption) =>
      run(import("./explain.ts").then(({ explainCommand }) => explainCommand(reference, options, io))),
    );

  program
    .command("render")
    .description("show how Markdown looks on a channel, message by message")
    .argument("<file...>", "Markdown files; - is standard input")
    .requiredOption("--channel <name>", "telegram, web or plain")
    .option("--json", "print one line of JSON per file")
    .addHelpText("after", "\nExample:\n  echo '**hi**' | trunkline render --channel telegram --json -")
    .action((files: string[], options: { channel: string } & JsonOption) =>
      run(import("./render.ts").then(({ renderCommand }) => renderCommand(files, options, io))),
    );

  return program;
}

function withConfig(command: Command): Command {
  return command
    .option("--config <file>", "configuration file (default: config/trunkline.yaml when there is one)")
    .option("--data <folder>", "data folder (default: where store.url says, else ./data)");
}

function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError("a port is a whole number from 0 to 65535");
  return number;
}
