import type { GatewayStatus } from "../control/protocol.ts";
import { connectGateway } from "./connect.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";

/** Prints how a running gateway is doing. */
export async function statusCommand(options: ConfigOptions & { readonly json?: boolean }, io: CliIo): Promise<ExitCode> {
  const gateway = connectGateway(options, io);
  const status = await gateway.api.status({});
  io.out(options.json ? JSON.stringify(status, null, 2) : formatStatus(status));
  return EXIT.ok;
}

function formatStatus(status: GatewayStatus): string {
  const time = (at: number | null): string => (at === null ? "never" : new Date(at).toISOString());
  const lines = [`Trunkline ${status.version} at ${status.url ?? "no address"}, since ${time(status.startedAt)}`, ""];
  for (const { code, message, hint } of status.trouble) lines.push(`channels are paused: ${code}: ${message}`, `  ${hint}`, "");
  for (const account of status.accounts) {
    lines.push(
      `${account.channel}:${account.account}  ${account.state}  last in ${time(account.lastInboundAt)}, last out ${time(account.lastOutboundAt)}`,
    );
    if (account.lastError && account.state !== "connected")
      lines.push(`  ${account.lastError.code}: ${account.lastError.message}`, `  ${account.lastError.hint}`);
  }
  const { config } = status;
  lines.push("", `config    revision ${config.revision}, ${config.file ?? "built in"}`);
  if (config.lastError) lines.push(`  since ${time(config.lastError.at)} the files have errors and are not used:`, config.lastError.issues);
  if (config.needRestart.length > 0) lines.push(`  changed, and counts after the next start: ${config.needRestart.join(", ")}`);
  const { accepted, open, duplicates, dispositions } = status.messages;
  const ended = Object.entries(dispositions).map(([name, count]) => `${count} ${name}`);
  lines.push(
    "",
    `messages  ${accepted} accepted = ${[`${open} open`, ...ended].join(" + ")}; ${duplicates} duplicates`,
    `outbox    ${status.openParts} open${status.deadLetters === 0 ? "" : `, ${status.deadLetters} put aside (trunkline dlq list)`}`,
  );
  return lines.join("\n");
}
