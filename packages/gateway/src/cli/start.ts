import { join } from "node:path";
import { describeError, type ConfigSnapshot, type GatewayConfig, type Plugin } from "@trunkline/plugin-sdk";
import { dataFolderOf } from "../data-folder.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { createLogger } from "../logger.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { type ConfigOptions, loadForCli } from "./load.ts";

export interface StartOptions extends ConfigOptions {
  readonly port?: number;
  readonly host?: string;
}

/** Runs a gateway, with `plugins` beside what is built in, until it is told to stop. */
export async function startCommand(options: StartOptions, io: CliIo, plugins: readonly Plugin[] = []): Promise<ExitCode> {
  const loaded = await loadForCli(options, io, plugins);
  if (!loaded) return EXIT.failed;
  const snapshot = withOverrides(loaded.snapshot, options);
  // A person at a terminal is told what matters in words; the log is for files and collectors, unless its level was asked for.
  const level = process.stderr.isTTY && !snapshot.origin("logs.level") ? "warn" : snapshot.config.logs.level;
  const logger = createLogger(level, io.redactor);
  // An exception that a platform library throws out of nowhere must not take the other accounts with it.
  process.on("uncaughtException", (error) => logger.error({ error: describeError(error) }, "an exception was not caught"));
  process.on("unhandledRejection", (error) => logger.error({ error: describeError(error) }, "a rejection was not caught"));
  const data = dataFolderOf(snapshot.config, options.data);
  const gateway = await startGateway({
    snapshot,
    data,
    container: loaded.container,
    logger,
    redactor: io.redactor,
    reload: {
      from: loaded.from,
      load(revision) {
        const next = loaded.reload(revision);
        return next.ok ? { ...next, snapshot: withOverrides(next.snapshot, options) } : next;
      },
    },
  });
  // Listened for before anybody is told that it runs: who reads that may stop it at once.
  const asked = untilSignal();
  announce(gateway, data.path, loaded.file, snapshot.config, io);
  await asked;
  io.err("Stopping. What is open is finished after the next start.");
  await gateway.stop();
  return EXIT.ok;
}

function announce(gateway: Gateway, dataFolder: string, file: string | undefined, config: GatewayConfig, io: CliIo): void {
  io.out(`Trunkline is ready: ${gateway.signInUrl ?? gateway.url}`);
  if (gateway.signInUrl === undefined) io.out(`  Another browser signs in with the token in ${join(dataFolder, "secrets", "admin-token")}`);
  io.out(
    file === undefined
      ? "  No config/trunkline.yaml: the built-in demo answers. Copy config/trunkline.example.yaml to begin."
      : `  Configuration: ${file}`,
  );
  io.out(
    `  Accounts: ${Object.entries(config.channels)
      .flatMap(([channel, { accounts }]) => Object.keys(accounts).map((account) => `${channel}:${account}`))
      .join(", ")}`,
  );
}

/** The snapshot with what the command line overrides. */
function withOverrides(snapshot: ConfigSnapshot, { port, host }: StartOptions): ConfigSnapshot {
  if (port === undefined && host === undefined) return snapshot;
  const gateway = { ...snapshot.config.gateway, ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
  return { ...snapshot, config: { ...snapshot.config, gateway }, origin: (path) => snapshot.origin(path) };
}

/** Resolves at SIGTERM or SIGINT; a second one ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(EXIT.failed);
      asked = true;
      resolve();
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
}
