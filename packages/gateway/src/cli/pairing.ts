import type { PairingRequest } from "@trunkline/core";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";
import { askOperator } from "./operator.ts";

export interface PairingOptions extends ConfigOptions {
  readonly account?: string;
  readonly json?: boolean;
}

/** Prints who waits to be let in. */
export async function pairingListCommand(options: PairingOptions, io: CliIo): Promise<ExitCode> {
  const all = await askOperator(options, io, "read", (api) => api.pairingList({}));
  if (!all) return EXIT.failed;
  const requests = all.filter(({ account }) => options.account === undefined || options.account === account);
  io.out(options.json ? JSON.stringify(requests, null, 2) : formatRequests(requests));
  return EXIT.ok;
}

/** Lets a sender in, and tells them. */
export async function pairingApproveCommand(channel: string, code: string, options: PairingOptions, io: CliIo): Promise<ExitCode> {
  const entry = await askOperator(options, io, "write", (api) => api.pairingApprove(choiceOf(channel, code, options)));
  if (!entry) return EXIT.failed;
  io.out(options.json ? JSON.stringify(entry, null, 2) : `${entry.sender} may now write to ${entry.channel}:${entry.account}.`);
  return EXIT.ok;
}

/** Turns a sender down. */
export async function pairingDenyCommand(channel: string, code: string, options: PairingOptions, io: CliIo): Promise<ExitCode> {
  const key = await askOperator(options, io, "write", (api) => api.pairingDeny(choiceOf(channel, code, options)));
  if (!key) return EXIT.failed;
  const told = `${key.sender} was turned down on ${key.channel}:${key.account}, is not told, and gets no new code for a day.`;
  io.out(options.json ? JSON.stringify(key, null, 2) : told);
  return EXIT.ok;
}

function choiceOf(channel: string, code: string, { account }: PairingOptions) {
  return { channel, code, ...(account === undefined ? {} : { account }) };
}

function formatRequests(requests: readonly PairingRequest[]): string {
  if (requests.length === 0) return "Nobody waits to be let in.";
  const lines = requests.map(({ channel, account, sender, code, expiresAt }) => {
    const until = new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
    return `${channel}:${account}  ${code}  sender ${sender}, until ${until} UTC`;
  });
  const [{ channel, code }] = requests as readonly [PairingRequest];
  return [...lines, "", `Let somebody in: trunkline pairing approve ${channel} ${code}`].join("\n");
}
