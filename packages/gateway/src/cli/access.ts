import { type AccessRow, type DryRunQuery, formatAccess } from "@trunkline/core";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";
import { askOperator } from "./operator.ts";

type JsonOption = { readonly json?: boolean };

/** Options that imagine a message. */
export interface DryRunOptions extends ConfigOptions, JsonOption {
  readonly channel: string;
  readonly account?: string;
  readonly peer: string;
  readonly sender?: string;
  readonly text?: string;
  readonly mention?: boolean;
}

/** Prints who was let in by approval. */
export async function accessListCommand(options: ConfigOptions & JsonOption, io: CliIo): Promise<ExitCode> {
  const entries = await askOperator(options, io, "read", (api) => api.accessList({}));
  if (!entries) return EXIT.failed;
  io.out(options.json ? JSON.stringify(entries, null, 2) : formatEntries(entries));
  return EXIT.ok;
}

/** Takes an approval back. */
export async function accessRemoveCommand(
  channel: string,
  account: string,
  sender: string,
  options: ConfigOptions & JsonOption,
  io: CliIo,
): Promise<ExitCode> {
  const key = await askOperator(options, io, "write", (api) => api.accessRemove({ channel, account, sender }));
  if (!key) return EXIT.failed;
  io.out(options.json ? JSON.stringify(key, null, 2) : `${key.sender} may no longer write to ${key.channel}:${key.account}.`);
  return EXIT.ok;
}

/** Prints whether a sender may talk to the agent and use commands. */
export async function accessTestCommand(options: DryRunOptions, io: CliIo): Promise<ExitCode> {
  const run = await askOperator(options, io, "read", (api) => api.dryRun(queryOf(options)));
  if (!run) return EXIT.failed;
  io.out(options.json ? JSON.stringify(run, null, 2) : formatAccess(run));
  return EXIT.ok;
}

/** The imagined message of the options. */
export function queryOf({ channel, account, peer, sender, text, mention }: DryRunOptions) {
  return {
    channel,
    peer,
    ...(account === undefined ? {} : { account }),
    ...(sender === undefined ? {} : { sender }),
    ...(text === undefined ? {} : { text }),
    ...(mention === undefined ? {} : { mention }),
  } satisfies DryRunQuery;
}

function formatEntries(entries: readonly AccessRow[]): string {
  if (entries.length === 0) return "Nobody was let in by approval.";
  return entries
    .map(
      ({ channel, account, sender, grantedAt }) =>
        `${channel}:${account}  ${sender}  since ${new Date(grantedAt).toISOString().slice(0, 10)}`,
    )
    .join("\n");
}
