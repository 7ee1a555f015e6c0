import { resolve } from "node:path";
import { GatewayError } from "@trunkline/plugin-sdk";
import { diskFiles, readText } from "../config/files.ts";
import { parseConfigTree } from "../config/yaml-tree.ts";
import { controlClient } from "../control/client.ts";
import type { ControlApi } from "../control/protocol.ts";
import { controlSocketPath, type DataFolder, dataFolderOf } from "../data-folder.ts";
import { type ConfigOptions, configFileOf } from "./load.ts";

/** The gateway that the options mean, by its data folder. */
export function connectGateway(options: ConfigOptions): { readonly data: DataFolder; readonly api: ControlApi } {
  const url = storeUrlIn(configFileOf(options));
  const data = dataFolderOf({ store: url === undefined ? {} : { url } }, options.data);
  return { data, api: controlClient(controlSocketPath(data.path), data.path) };
}

/**
 * `store.url` of a configuration, and nothing else of it: whoever asks a running gateway need not have its secrets in the shell, and
 * an edit with errors must not get in the way of looking at what runs.
 */
function storeUrlIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const reading = readText(diskFiles, resolve(file));
  if (!reading.ok) throw new GatewayError("CONFIG_FILE_UNREADABLE", { detail: { file } });
  const { value } = parseConfigTree(reading.text, process.env);
  const url = (value as { readonly store?: { readonly url?: unknown } } | null | undefined)?.store?.url;
  return typeof url === "string" ? url : undefined;
}
