import { resolve } from "node:path";
import { type ConfigPath, configJsonSchema, schemaAt } from "@trunkline/core";
import { GatewayError } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../channels.ts";
import { BUILT_IN_PROVIDERS } from "../config/builtin.ts";
import { formatIssues } from "../config/issue.ts";
import { type ConfigValue, lookUpConfig } from "../config/lookup.ts";
import { setConfigValue } from "../config/save.ts";
import { schemaFileText } from "../config/schema-file.ts";
import { parseConfigPath } from "../config/paths.ts";
import { parseYamlValue } from "../config/yaml-edit.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { type ConfigOptions, loadForCli } from "./load.ts";

/** Prints a value as it counts, and with `origin` where it was decided. Secrets are not shown. */
export async function configGetCommand(
  path: string,
  options: ConfigOptions & { readonly origin?: boolean; readonly json?: boolean },
  io: CliIo,
): Promise<ExitCode> {
  const loaded = await loadForCli(options, { ...io, err: quietWarnings(io) });
  if (!loaded) return EXIT.failed;
  const found = lookUpConfig(path, loaded);
  const shown = options.json ? JSON.stringify(toJson(found), null, 2) : formatValue(found, options.origin ?? false);
  io.out(io.redactor.text(shown));
  return EXIT.ok;
}

/** Sets a value in the file where it stands; refuses what would not be a valid configuration. */
export async function configSetCommand(path: string, value: string, options: ConfigOptions, io: CliIo): Promise<ExitCode> {
  const loaded = await loadForCli(options, io);
  if (!loaded) return EXIT.failed;
  const { file } = loaded.from;
  if (file === undefined) {
    throw new GatewayError("CONFIG_WRITE_FAILED", {
      detail: { file: "(none)", reason: "the built-in configuration has no file" },
      hint: "Copy config/trunkline.example.yaml to config/trunkline.yaml first.",
    });
  }
  const { channels, tree } = loaded;
  const whole = parseConfigPath(path, tree?.value);
  const saved = setConfigValue(whole, readValue(value, whole, channels), {
    file: resolve(file),
    env: process.env,
    channels,
    knownProviders: BUILT_IN_PROVIDERS,
  });
  if (!saved.ok) {
    io.err(formatIssues(saved.issues));
    io.err("Nothing was written: with this value the configuration would have these errors.");
    return EXIT.failed;
  }
  io.out(`${saved.file}: ${path} is set. A running gateway uses it within 2 seconds.`);
  return EXIT.ok;
}

/** Prints the JSON Schema of the configuration, for editors. */
export async function configSchemaCommand(io: CliIo): Promise<ExitCode> {
  io.out(schemaFileText(await registerChannels(createContainer())).trimEnd());
  return EXIT.ok;
}

/** Where the format wants a text, the words are the text; elsewhere they are read as YAML: numbers, switches, lists and maps. */
function readValue(text: string, path: ConfigPath, channels: Parameters<typeof configJsonSchema>[0]): unknown {
  const schema = schemaAt(configJsonSchema(channels), path);
  const types = [schema, ...(Array.isArray(schema?.["anyOf"]) ? schema["anyOf"] : [])].map(
    (one) => (one as { readonly type?: unknown } | undefined)?.type,
  );
  const isText = types.includes("string") && !(types.length > 1 && /^\s*[[{]/.test(text));
  return isText || /^\$\{[^}]+\}$/.test(text) ? text : parseYamlValue(text);
}

function formatValue({ value, level, origin, from, variables }: ConfigValue, withOrigin: boolean): string {
  const shown = value === undefined ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (!withOrigin) return shown;
  const place = origin === undefined ? "" : `, ${origin.file}:${origin.line}:${origin.column}`;
  const key = from === undefined ? "" : `, by ${from}`;
  const environment = variables.length === 0 ? "" : `, from ${variables.map((name) => `\${${name}}`).join(" ")}`;
  return `${shown}\n  level ${level}${key}${place}${environment}`;
}

function toJson({ path, value, level, origin, from, variables }: ConfigValue): object {
  return { path, value: value ?? null, level, origin: origin ?? null, from: from ?? null, variables };
}

/** Whoever asks for one value does not ask for the warnings of the whole; errors still come, since nothing can be told then. */
function quietWarnings(io: CliIo): CliIo["err"] {
  return (text) => {
    if (!/^\S+ {2}warning: /.test(text)) io.err(text);
  };
}
