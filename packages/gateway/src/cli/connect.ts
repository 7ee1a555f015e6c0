import type { Environment } from "../config/environment.ts";
import { controlClient } from "../control/client.ts";
import type { ControlApi } from "../control/protocol.ts";
import { controlSocketPath, type DataFolder, dataFolderOf } from "../data-folder.ts";
import type { CliIo } from "./io.ts";
import { type ConfigOptions, loadForCli } from "./load.ts";

/** The gateway that the options mean: by `--data` alone, else by the configuration. Undefined when that has errors. */
export async function connectGateway(
  options: ConfigOptions,
  io: CliIo,
): Promise<{ readonly data: DataFolder; readonly api: ControlApi } | undefined> {
  const data = await dataOf(options, io);
  return data && { data, api: controlClient(controlSocketPath(data.path), data.path) };
}

/** Only the data folder matters here: secrets that are not set in this shell, and warnings, are `check`'s business. */
async function dataOf(options: ConfigOptions, io: CliIo): Promise<DataFolder | undefined> {
  if (options.data !== undefined && options.config === undefined) return dataFolderOf({ store: {} }, options.data);
  const env = anyVariable({ ...process.env });
  const loaded = await loadForCli(options, io, { env, quiet: true });
  return loaded && dataFolderOf(loaded.snapshot.config, options.data);
}

/** An environment in which every variable is set. */
function anyVariable(env: Record<string, string | undefined>): Environment {
  const valueOf = (name: string | symbol): string => env[String(name)] || "unset";
  return new Proxy(env, {
    get: (_target, name) => valueOf(name),
    getOwnPropertyDescriptor: (_target, name) => ({ value: valueOf(name), configurable: true, enumerable: true, writable: true }),
  });
}
