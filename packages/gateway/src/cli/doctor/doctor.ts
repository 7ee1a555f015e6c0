import { describeError, isGatewayError, systemClock } from "@trunkline/plugin-sdk";
import { controlClient } from "../../control/client.ts";
import type { GatewayStatus } from "../../control/protocol.ts";
import { controlSocketPath, dataFolderOf } from "../../data-folder.ts";
import { type CliIo, EXIT, type ExitCode } from "../io.ts";
import { type ConfigOptions, findConfig } from "../load.ts";
import { configFindings } from "./config-findings.ts";
import { dataFindings } from "./data-findings.ts";
import type { Finding } from "./finding.ts";
import { accountFindings, modelFindings, statusFindings } from "./live-findings.ts";
import { nodeFindings, portFindings } from "./machine-findings.ts";

export interface DoctorOptions extends ConfigOptions {
  readonly fix?: boolean;
  readonly json?: boolean;
}

/** A finding, and what was done about it. */
interface Outcome extends Finding {
  readonly fixed: boolean;
}

/** Looks for everything that keeps a gateway from working, and mends with `--fix` what is safe to mend. Fails while something is left. */
export async function doctorCommand(options: DoctorOptions, io: CliIo): Promise<ExitCode> {
  const findings = await look(options, io);
  const outcomes: Outcome[] = [];
  for (const finding of findings) outcomes.push({ ...finding, fixed: options.fix === true && (await mend(finding, io)) });
  const left = outcomes.filter(({ fixed }) => !fixed);
  if (options.json) {
    const shown = outcomes.map(({ code, cause, fix, repair, fixed }) => ({ code, cause, fix, fixable: repair !== undefined, fixed }));
    io.out(io.redactor.text(JSON.stringify({ findings: shown }, null, 2)));
  } else {
    for (const outcome of outcomes) io.out(io.redactor.text(format(outcome)));
    io.out(summary(outcomes.length, left));
  }
  return left.length === 0 ? EXIT.ok : EXIT.failed;
}

async function look(options: DoctorOptions, io: CliIo): Promise<readonly Finding[]> {
  const { loaded, channels } = await findConfig(options, io);
  const machine = [...nodeFindings(process.versions.node), ...configFindings(loaded)];
  if (!loaded.ok) {
    // Without a configuration only --data says where the data is.
    return options.data === undefined ? machine : [...machine, ...(await ofData(dataFolderOf({ store: {} }, options.data)))];
  }
  const { config } = loaded.snapshot;
  const data = dataFolderOf(config, options.data);
  const status = await statusOf(data.path);
  const { host, port } = config.gateway;
  const parts = await Promise.all([
    dataFindings(data, status !== undefined),
    status === undefined ? portFindings(host, port) : [],
    modelFindings(config, systemClock),
    status === undefined ? accountFindings(config, channels, systemClock) : statusFindings(status),
  ]);
  return [...machine, ...parts.flat()];
}

async function ofData(data: ReturnType<typeof dataFolderOf>): Promise<readonly Finding[]> {
  return dataFindings(data, (await statusOf(data.path)) !== undefined);
}

/** Undefined when no gateway answers. */
async function statusOf(dataFolder: string): Promise<GatewayStatus | undefined> {
  try {
    return await controlClient(controlSocketPath(dataFolder), dataFolder).status({});
  } catch (error) {
    if (isGatewayError(error, "GATEWAY_NOT_RUNNING")) return undefined;
    throw error;
  }
}

async function mend({ repair, cause }: Finding, io: CliIo): Promise<boolean> {
  if (repair === undefined) return false;
  try {
    await repair();
    return true;
  } catch (error) {
    io.err(`could not be mended: ${cause} (${describeError(error)})`);
    return false;
  }
}

function format({ code, cause, fix, fixed }: Outcome): string {
  return fixed ? `${code}  ${cause}\n  mended` : `${code}  ${cause}\n  ${fix}`;
}

function summary(found: number, left: readonly Finding[]): string {
  if (found === 0) return "Everything is well.";
  const mended = found - left.length;
  const count = `${found} ${found === 1 ? "finding" : "findings"}${mended === 0 ? "" : `, ${mended} mended`}.`;
  const fixable = left.filter(({ repair }) => repair !== undefined).length;
  return fixable === 0 ? count : `${count} --fix mends ${fixable}.`;
}
