import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { Plugin } from "@trunkline/plugin-sdk";
import { VERSION } from "../version.ts";
import { type CliIo, EXIT, type ExitCode, printError, processIo } from "./io.ts";
import type { DryRunOptions } from "./access.ts";
import type { DoctorOptions } from "./doctor/doctor.ts";
import type { InitOptions } from "./init/init.ts";
import type { ConfigOptions } from "./load.ts";
import type { DlqOptions } from "./dlq.ts";
import type { PairingOptions } from "./pairing.ts";
import type { RenderCommandOptions } from "./render.ts";
import type { StartOptions } from "./start.ts";
import type { StoreOptions } from "./store.ts";
import type { WebLinkOptions } from "./web.ts";

type JsonOption = { readonly json?: boolean };

/**
 * Runs the `trunkline` command; gives its exit code. Each command's code is loaded when it runs, so that --help is instant.
 *
 * A program of one's own starts a gateway with more than what is built in by handing plugins to `start`. They contribute TOOLS,
 * MODELS, COMMANDS and CHANNELS; one that provides AGENT_RUNTIME takes the place of the built-in step loop:
 *
 * ```ts
 * const plugin = definePlugin({ name: "mine", version: "1.0.0", register: (context) => context.contribute(TOOLS, myTool) });
 * process.exitCode = await runCli(["start", "--config", file, "--data", folder], processIo(), [plugin]);
 * ```
 */
export async function runCli(args: readonly string[], io: CliIo = processIo(), plugins: readonly Plugin[] = []): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const run = (command: Promise<ExitCode>): Promise<void> => command.then((result) => void (code = result));
  const program = buildProgram(run, io, plugins);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    printError(io, error);
    return EXIT.failed;
  }
}

function buildProgram(run: (command: Promise<ExitCode>) => Promise<void>, io: CliIo, plugins: readonly Plugin[]): Command {
  const program = new Command("trunkline")
    .description("A gateway between people on chat platforms and AI agents.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.err(text.trimEnd()) })
    .showHelpAfterError("(trunkline --help shows how)");

  withConfig(program.command("start").description("run the gateway until it is told to stop"))
    .option("--port <number>", "listen here instead of gateway.port", port)
    .option("--host <address>", "listen on this address instead of gateway.host", host)
    .addHelpText("after", "\nExample:\n  trunkline start --config config/trunkline.yaml --data /var/lib/trunkline")
    .action((options: StartOptions) => run(import("./start.ts").then(({ startCommand }) => startCommand(options, io, plugins))));

  withConfig(program.command("check").description("check the configuration; prints every error with its line"))
    .addHelpText("after", "\nExample:\n  trunkline check --config config/trunkline.yaml")
    .action((options: ConfigOptions) => run(import("./check.ts").then(({ checkCommand }) => checkCommand(options, io))));

  withConfig(program.command("status").description("show how the running gateway is doing"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline status --json")
    .action((options: ConfigOptions & JsonOption) => run(import("./status.ts").then(({ statusCommand }) => statusCommand(options, io))));

  withConfig(program.command("explain").description("tell every decision about one message, with the line that made it"))
    .argument("<message>", "an id from the log (in_...), a link to the message, channel:account:conversation/messageId, or: last")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  trunkline explain last\n  trunkline explain telegram:main:123456/42\n  trunkline explain https://t.me/c/1234567890/42",
    )
    .action((reference: string, options: ConfigOptions & JsonOption) =>
      run(import("./explain.ts").then(({ explainCommand }) => explainCommand(reference, options, io))),
    );

  addCare(program, run, io);
  addConfig(program, run, io);
  addPairing(program, run, io);
  addDlq(program, run, io);
  addDryRuns(program, run, io);
  addWeb(program, run, io);
  addStore(program, run, io);

  program
    .command("render")
    .description("show how Markdown looks on a channel, message by message")
    .argument("<file...>", "Markdown files; - is standard input")
    .requiredOption("--channel <name>", "telegram, discord, slack, whatsapp, web or plain")
    .option("--json", "print one line of JSON per file: text, entities or blocks, and length of each message")
    .option("--html", "print a page that draws the messages")
    .addHelpText(
      "after",
      "\nExamples:\n  echo '**hi**' | trunkline render --channel slack --json -\n  trunkline render --channel discord --html answer.md > look.html",
    )
    .action((files: string[], options: RenderCommandOptions) =>
      run(import("./render.ts").then(({ renderCommand }) => renderCommand(files, options, io))),
    );

  program
    .command("preview")
    .description("write one page that shows how Markdown looks on every channel, cuts and lengths marked")
    .argument("[file]", "a Markdown file; - is standard input; a sample when there is none")
    .option("--out <path>", "the page to write (default: FILE.preview.html)")
    .addHelpText("after", "\nExample:\n  trunkline preview answer.md --out look.html")
    .action((file: string | undefined, options: { out?: string }) =>
      run(import("./preview.ts").then(({ previewCommand }) => previewCommand(file, options, io))),
    );

  return program;
}

type Run = (command: Promise<ExitCode>) => Promise<void>;

function addCare(program: Command, run: Run, io: CliIo): void {
  program
    .command("init")
    .description("make a configuration; keys and tokens are tried before it is written")
    .option("--config <path>", "the file to write (default: config/trunkline.yaml)")
    .option("--yes", "ask nothing; the options below say it all")
    .option("--force", "with --yes: replace a file that is there")
    .option("--agent <name>", "with --yes: name of the agent (default: Aria)")
    .option("--provider <kind>", "with --yes: demo (the default), openai-compatible, anthropic, openai or google")
    .option("--base-url <url>", "with --yes: address of the OpenAI-compatible server")
    .option("--key-env <name>", "with --yes: environment variable that holds the key")
    .option("--model <name>", "with --yes: the provider's name of the model")
    .option("--telegram-token-env <name>", "with --yes: environment variable that holds the bot token")
    .option("--telegram-api-root <url>", "with --yes: another Bot API server")
    .addHelpText("after", "\nExamples:\n  trunkline init\n  trunkline init --yes --provider anthropic --key-env ANTHROPIC_API_KEY")
    .action((options: InitOptions) => run(import("./init/init.ts").then(({ initCommand }) => initCommand(options, io))));

  withConfig(program.command("doctor").description("look for everything that keeps the gateway from working"))
    .option("--fix", "mend what is safe to mend: permissions, a socket that was left behind")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline doctor --fix")
    .action((options: DoctorOptions) => run(import("./doctor/doctor.ts").then(({ doctorCommand }) => doctorCommand(options, io))));
}

function addConfig(program: Command, run: Run, io: CliIo): void {
  const config = program.command("config").description("read and change the configuration");
  const commands = () => import("./config.ts");
  withConfig(config.command("get").description("print a value as it counts; secrets are not shown"))
    .argument("<path>", "dotted, such as agents.list.aria.model.primary")
    .option("--origin", "also tell which level decided it, and in which line")
    .option("--json", "print JSON, with the origin")
    .addHelpText("after", "\nExample:\n  trunkline config get channels.telegram.accounts.main.dmPolicy --origin")
    .action((path: string, options: ConfigOptions & JsonOption & { origin?: boolean }) =>
      run(commands().then((own) => own.configGetCommand(path, options, io))),
    );
  withConfig(config.command("set").description("change a value in the file; comments, order and variables stay"))
    .argument("<path>", "dotted, such as gateway.port")
    .argument("<value>", "a text, a number, true, false, or YAML such as [a, b]")
    .addHelpText("after", "\nExamples:\n  trunkline config set gateway.port 9000\n  trunkline config set agents.list.aria.thinking high")
    .action((path: string, value: string, options: ConfigOptions) =>
      run(commands().then((own) => own.configSetCommand(path, value, options, io))),
    );
  config
    .command("schema")
    .description("print the JSON Schema of the configuration, for editors")
    .addHelpText("after", "\nExample:\n  trunkline config schema > trunkline.schema.json")
    .action(() => run(commands().then((own) => own.configSchemaCommand(io))));
}

function addPairing(program: Command, run: Run, io: CliIo): void {
  const pairing = program.command("pairing").description("let people in who asked, or turn them down");
  const commands = () => import("./pairing.ts");
  withConfig(pairing.command("list").description("show who waits, with their codes"))
    .option("--account <name>", "only this account")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline pairing list")
    .action((options: PairingOptions) => run(commands().then((own) => own.pairingListCommand(options, io))));
  for (const verb of ["approve", "deny"] as const) {
    withConfig(
      pairing.command(verb).description(verb === "approve" ? "let the sender in, and tell them" : "turn the sender down for a day"),
    )
      .argument("<channel>", "the channel that the code came from")
      .argument("<code>", "eight characters, as the sender got them")
      .option("--account <name>", "only this account of the channel")
      .option("--json", "print JSON")
      .addHelpText("after", `\nExample:\n  trunkline pairing ${verb} telegram ABCD2345`)
      .action((channel: string, code: string, options: PairingOptions) =>
        run(
          commands().then((own) =>
            verb === "approve" ? own.pairingApproveCommand(channel, code, options, io) : own.pairingDenyCommand(channel, code, options, io),
          ),
        ),
      );
  }
}

function addWeb(program: Command, run: Run, io: CliIo): void {
  const web = program.command("web").description("the chat in the browser");
  withConfig(web.command("link").description("print the links that sign a browser in, as they are now"))
    .option("--role <role>", "only this one, alone on its line: admin or chat", role)
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  trunkline web link\n  trunkline web link --role chat")
    .action((options: WebLinkOptions) => run(import("./web.ts").then(({ webLinkCommand }) => webLinkCommand(options, io))));
}

function addDlq(program: Command, run: Run, io: CliIo): void {
  const dlq = program.command("dlq").description("look after parts of answers that could not be delivered");
  const commands = () => import("./dlq.ts");
  withConfig(dlq.command("list").description("show what was put aside, newest first"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline dlq list")
    .action((options: DlqOptions) => run(commands().then((own) => own.dlqListCommand(options, io))));
  const verbs = { show: "show one, with its words", retry: "send it again", drop: "take it off the list; it stays undelivered" } as const;
  for (const verb of ["show", "retry", "drop"] as const) {
    withConfig(dlq.command(verb).description(verbs[verb]))
      .argument("<id>", "as the list shows it (ob_...)")
      .option("--json", "print JSON")
      .addHelpText("after", `\nExample:\n  trunkline dlq ${verb} ob_01JV7Q4M8T2B5N9C3XWYZKDE6F`)
      .action((id: string, options: DlqOptions) =>
        run(
          commands().then((own) => {
            const command = { show: own.dlqShowCommand, retry: own.dlqRetryCommand, drop: own.dlqDropCommand }[verb];
            return command(id, options, io);
          }),
        ),
      );
  }
}

function addStore(program: Command, run: Run, io: CliIo): void {
  const store = program.command("store").description("copy, restore and look at what is kept");
  const commands = () => import("./store.ts");
  withConfig(store.command("backup").description("copy the database, also while the gateway runs"))
    .argument("[file]", "where to (default: backups/ in the data folder)")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  trunkline store backup\n  trunkline store backup /mnt/backup/trunkline-monday.db")
    .action((file: string | undefined, options: StoreOptions) => run(commands().then((own) => own.storeBackupCommand(file, options, io))));
  withConfig(store.command("restore").description("put a backup in the place of the database; the gateway has to be stopped"))
    .argument("<file>", "the backup; the replaced database is kept beside it")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline store restore data/backups/trunkline-20261130T174412123Z-manual.db")
    .action((file: string, options: StoreOptions) => run(commands().then((own) => own.storeRestoreCommand(file, options, io))));
  withConfig(store.command("migrate").description("bring the database to this version's schema, as the next start would"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline store migrate")
    .action((options: StoreOptions) => run(commands().then((own) => own.storeMigrateCommand(options, io))));
  withConfig(store.command("status").description("show where everything is kept, how big it is, and its backups"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline store status")
    .action((options: StoreOptions) => run(commands().then((own) => own.storeStatusCommand(options, io))));
}

function addDryRuns(program: Command, run: Run, io: CliIo): void {
  const access = program.command("access").description("see and change who may write");
  const commands = () => import("./access.ts");
  withConfig(access.command("list").description("show who was let in by approval"))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline access list")
    .action((options: ConfigOptions & JsonOption) => run(commands().then((own) => own.accessListCommand(options, io))));
  withConfig(access.command("remove").description("take an approval back, at once"))
    .argument("<channel>")
    .argument("<account>")
    .argument("<id>", "the sender's id")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  trunkline access remove telegram main 123456789")
    .action((channel: string, account: string, id: string, options: ConfigOptions & JsonOption) =>
      run(commands().then((own) => own.accessRemoveCommand(channel, account, id, options, io))),
    );
  withMessage(access.command("test").description("tell whether somebody may write here, and use commands"))
    .option("--text <text>", "what they write")
    .option("--mention", "the bot is mentioned")
    .addHelpText("after", "\nExample:\n  trunkline access test --channel telegram --peer group:-1001234567890 --sender 123456789")
    .action((options: DryRunOptions) => run(commands().then((own) => own.accessTestCommand(options, io))));

  withMessage(program.command("route").description("tell which agent answers in a conversation"))
    .addHelpText("after", "\nExample:\n  trunkline route --channel telegram --account main --peer dm:123456789")
    .action((options: DryRunOptions) => run(import("./route.ts").then(({ routeCommand }) => routeCommand(options, io))));

  withMessage(program.command("why-not").description("tell what would become of a message; nothing is sent, stored or asked"))
    .requiredOption("--text <text>", "what is written")
    .option("--mention", "the bot is mentioned")
    .addHelpText("after", '\nExample:\n  trunkline why-not --channel telegram --peer group:-1001234567890 --text "hello"')
    .action((options: DryRunOptions) => run(import("./why-not.ts").then(({ whyNotCommand }) => whyNotCommand(options, io))));
}

/** Options that imagine a message. */
function withMessage(command: Command): Command {
  return withConfig(command)
    .requiredOption("--channel <name>", "where it is written")
    .option("--account <name>", "the channel's account (default: its only one, or main)")
    .requiredOption("--peer <peer>", "dm:ID, group:ID or group:ID:THREAD")
    .option("--sender <id>", "who writes (default: the peer of a dm; in a group, somebody who is on no list)")
    .option("--json", "print JSON");
}

function withConfig(command: Command): Command {
  return command
    .option("--config <path>", "configuration file, or a folder with a trunkline.yaml (default: config/trunkline.yaml when there is one)")
    .option("--data <folder>", "data folder (default: where store.url says, else ./data)");
}

function role(value: string): WebLinkOptions["role"] {
  if (value === "admin" || value === "chat") return value;
  throw new InvalidArgumentError("a role is admin or chat");
}

function host(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("an address is needed, such as 127.0.0.1");
  return value;
}

function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError("a port is a whole number from 0 to 65535");
  return number;
}
