import { resolve } from "node:path";
import { controlClient } from "../control/client.ts";
import type { ControlApi } from "../control/protocol.ts";
import { controlSocketPath, type DataFolder, dataFolderOf } from "../data-folder.ts";
import type { CliIo } from "./io.ts";
import { type ConfigOptions, type Loaded, loadForCli } from "./load.ts";

/** The gateway that the options mean. */
export interface ConnectedGateway {
  readonly data: DataFolder;
  readonly api: ControlApi;
  /** Its configuration, read at most once; undefined when it has errors. */
  config(): Promise<Loaded | undefined>;
}

/** Finds a gateway by `--data` alone, else by the configuration. Undefined when that is needed and has errors. */
export async function connectGateway(options: ConfigOptions, io: CliIo): Promise<ConnectedGateway | undefined> {
  const byData = options.data !== undefined && options.config === undefined;
  const loaded = byData ? undefined : await loadForCli(options, io);
  if (!byData && !loaded) return undefined;
  const data = loaded ? dataFolderOf(loaded.snapshot.config, options.data) : dataFolderOf({ store: {} }, resolve(options.data ?? ""));
  const api = controlClient(controlSocketPath(data.path), data.path);
  return { data, api, config: async () => loaded ?? loadForCli(options, io) };
}
