import { resolve } from "node:path";
import { readStoreUrl } from "../config/load.ts";
import { controlClient } from "../control/client.ts";
import type { ControlApi } from "../control/protocol.ts";
import { controlSocketPath, type DataFolder, dataFolderOf } from "../data-folder.ts";
import type { CliIo } from "./io.ts";
import { type ConfigOptions, configFileOf, type Loaded, loadForCli } from "./load.ts";

/** The gateway that the options mean. */
export interface ConnectedGateway {
  readonly data: DataFolder;
  readonly api: ControlApi;
  /** Its configuration; undefined when it has errors, which are printed then. */
  config(): Promise<Loaded | undefined>;
}

/** Finds a gateway by its data folder: `--data`, else what the configuration says. */
export function connectGateway(options: ConfigOptions, io: CliIo): ConnectedGateway {
  const file = options.data !== undefined && options.config === undefined ? undefined : configFileOf(options);
  const url = file === undefined ? undefined : readStoreUrl(resolve(file), process.env);
  const data = dataFolderOf({ store: url === undefined ? {} : { url } }, options.data);
  return { data, api: controlClient(controlSocketPath(data.path), data.path), config: () => loadForCli(options, io) };
}
