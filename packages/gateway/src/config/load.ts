import { join } from "node:path";
import { type ConfigPath, type ConfigProblem, formatPath, readConfig, showPath, type WrittenScalar } from "@trunkline/core";
import { type ChannelPlugin, type ConfigOrigin, type ConfigSnapshot, createRedactor, GatewayError } from "@trunkline/plugin-sdk";
import { builtInChannels, builtInConfig } from "./builtin.ts";
import { type ConfigTree, originOf, placeAround, type WrittenPlace } from "./config-tree.ts";
import { withProvidersOfEnvironment } from "../model-providers.ts";
import type { Environment } from "./environment.ts";
import { type ConfigFiles, diskFiles, readText, recordFiles, type TextReading, TOO_LARGE } from "./files.ts";
import { type ConfigIssue, sortIssues } from "./issue.ts";
import { readReferences } from "./references.ts";
import { createSnapshot } from "./snapshot.ts";
import { MAIN_FILE, readSources } from "./sources.ts";

/** Errors that are told of one configuration, and warnings: nobody reads more at once, and a log has to hold them. */
const MOST_TOLD = 100;

export interface LoadConfigOptions {
  /** Path of the YAML file, or of a folder with a trunkline.yaml; without one, the built-in configuration. */
  readonly file?: string | undefined;
  readonly env: Environment;
  /** Channels that the gateway has loaded: their ids and own keys are what the file may use. */
  readonly channels: readonly ChannelPlugin[];
  /** Model providers that need no entry in `providers`, such as `demo`. */
  readonly knownProviders: readonly string[];
  readonly files?: ConfigFiles;
  /** Number of the snapshot; 1 for the first. */
  readonly revision?: number;
}

/** What a configuration was read from. */
export interface ConfigOriginFiles {
  /** The main file; undefined for the built-in configuration. */
  readonly file: string | undefined;
  /** Every path that was asked for, there or not: when one of them changes, the configuration may. */
  readonly paths: readonly string[];
  /** The same for the same contents. */
  readonly digest: string;
}

/** A configuration that can run, or all that is wrong with it. Warnings come with both. */
export type LoadedConfig = {
  readonly from: ConfigOriginFiles;
  readonly warnings: readonly ConfigIssue[];
  /** For the redactor: every value that must not be printed. */
  readonly secrets: readonly string[];
} & (
  | { readonly ok: true; readonly snapshot: ConfigSnapshot; readonly tree: ConfigTree | undefined }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] }
);

/** Loads the configuration: files, YAML, environment, referenced files, checks, defaults. `file` may be a folder with a trunkline.yaml. Never throws. */
export function loadConfig(options: LoadConfigOptions): LoadedConfig {
  const { env, channels } = options;
  const files = recordFiles(options.files ?? diskFiles);
  const { file, reading } = readMain(options.file, files);
  const from = (): ConfigOriginFiles => ({ file, paths: files.paths(), digest: files.digest() });
  if (file === undefined || reading === undefined)
    return { ...check(builtInConfig(channels), undefined, "", files, options), from: from() };
  if (reading.ok) {
    const tree = readSources({ file, text: reading.text }, env, files);
    return { ...check(tree.value, tree, file, files, options), from: from() };
  }
  const place = reading.before === undefined ? { line: 0, column: 0 } : endOf(reading.before);
  const hint = reading.hint ?? (reading.why === TOO_LARGE ? SHORTER : unreadableHint(file, options.file));
  const message = `the configuration file ${reading.why}`;
  return {
    ok: false,
    issues: [{ severity: "error", code: "CONFIG_FILE_UNREADABLE", file, ...place, path: "", message, hint }],
    warnings: [],
    secrets: [],
    from: from(),
  };
}

/**
 * `store.url` of a configuration, and nothing else of it: whoever asks a running gateway need not have its secrets in the shell, and
 * an edit with errors must not get in the way of looking at what runs. CONFIG_FILE_UNREADABLE when there is no such file.
 */
export function readStoreUrl(named: string, env: Environment): string | undefined {
  const { file = named, reading } = readMain(named, diskFiles);
  if (!reading?.ok) throw new GatewayError("CONFIG_FILE_UNREADABLE", { detail: { file } });
  const { value } = readSources({ file, text: reading.text }, env, diskFiles);
  const url = (value as { readonly store?: { readonly url?: unknown } } | null | undefined)?.store?.url;
  return typeof url === "string" ? url : undefined;
}

function readMain(named: string | undefined, files: ConfigFiles): { readonly file: string | undefined; readonly reading?: TextReading } {
  if (named === undefined) return { file: undefined };
  const reading = readText(files, named);
  if (reading.ok || reading.isFolder !== true) return { file: named, reading };
  const file = join(named, MAIN_FILE);
  return { file, reading: readText(files, file) };
}

const SHORTER = "Shorten it: a configuration is some hundred lines. What agents know belongs into files of their own.";

function unreadableHint(file: string, named: string | undefined): string {
  if (file !== named) return `A folder that is a configuration has a ${MAIN_FILE} in it.`;
  return "Check the path and its permissions, or start without --config to use the built-in demo.";
}

type Checked = Omit<Extract<LoadedConfig, { ok: true }>, "from"> | Omit<Extract<LoadedConfig, { ok: false }>, "from">;

function check(
  raw: unknown,
  tree: ConfigTree | undefined,
  file: string,
  files: ConfigFiles,
  { env, channels, knownProviders, revision = 1 }: LoadConfigOptions,
): Checked {
  const written = (path: ConfigPath): WrittenScalar | undefined => tree?.written.get(formatPath(path));
  const around = (path: ConfigPath): WrittenPlace | undefined => tree && placeAround(path, tree.places);
  const fileOf = (path: ConfigPath): string => around(path)?.source.file ?? file;
  const references = readReferences(withProvidersOfEnvironment(withChannels(raw, channels), env), {
    fileOf,
    files,
    env,
    channels,
    written,
  });
  const context = { channels, knownProviders, written, incomplete: tree?.incomplete ?? false };
  const reading = raw === undefined ? { problems: [] } : readConfig(references.tree, context);
  const broken = new Set([...(tree?.broken ?? []), ...references.broken.map(formatPath)]);
  const findings = tree?.findings ?? [];
  const taken = new Set(findings.map(({ origin }) => formatOrigin(origin)));
  // What is broken has been told once; that it is therefore missing or wrong says nothing new.
  const checked = reading.problems.filter(({ path }) => !path.some((_, length) => broken.has(formatPath(path.slice(0, length + 1)))));
  const nowhere = tree === undefined ? { file, line: 0, column: 0 } : { file, line: 1, column: 1 };
  const problems = [...references.problems, ...checked]
    .map((problem) => ({ problem, origin: placeOf(problem, tree) ?? nowhere }))
    .filter(({ problem, origin }) => problem.code === "CONFIG_WARNING" || !taken.has(formatOrigin(origin)) || origin.line === 0);
  const redact = createRedactor();
  for (const secret of references.secrets) redact.add(secret);
  const told = oncePerPlace([...findings, ...problems].map(({ problem, origin }) => toIssue(withKey(problem, tree), origin)));
  const some = (severity: ConfigIssue["severity"]): readonly ConfigIssue[] =>
    firstOf(told.filter((issue) => issue.severity === severity)).map((issue) => redacted(issue, (text) => redact.text(text)));
  const { secrets } = references;
  const errors = some("error");
  const warnings = some("warning");
  if (errors.length > 0 || reading.config === undefined) return { ok: false, issues: errors, warnings, secrets };
  return { ok: true, snapshot: createSnapshot(reading.config, revision, tree), tree, secrets, warnings };
}

/** A file that names no channels gets the web chat. */
function withChannels(raw: unknown, channels: readonly ChannelPlugin[]): unknown {
  const isMap = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  return isMap && !Object.hasOwn(raw, "channels") ? { ...raw, channels: builtInChannels(channels) } : raw;
}

/** A problem under the key that it is written under, when that is another one. */
function withKey(problem: ConfigProblem, tree: ConfigTree | undefined): ConfigProblem {
  const by = tree?.places.get(formatPath(problem.path))?.by;
  return by === undefined ? problem : { ...problem, path: by.split(".") };
}

/** In order; what stands in one place and counts in several is told once. */
function oncePerPlace(issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  const told = new Set<string>();
  return sortIssues(issues).filter(({ file, line, column, message }) => {
    const key = `${file}:${line}:${column} ${message}`;
    if (line > 0 && told.has(key)) return false;
    told.add(key);
    return true;
  });
}

/** Where a problem stands: its key or value, or, when that is not written, the nearest thing around it that is. */
function placeOf({ path, at }: ConfigProblem, tree: ConfigTree | undefined): ConfigOrigin | undefined {
  const own = tree?.places.get(formatPath(path));
  if (own !== undefined) return originOf(own, at ?? "value");
  const around = tree && placeAround(path, tree.places);
  return around && originOf(around);
}

function formatOrigin({ file, line, column }: ConfigOrigin): string {
  return `${file}:${line}:${column}`;
}

function endOf(text: string): { line: number; column: number } {
  const lines = text.split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The first issues in the order of the file, and where those begin that are not told. */
function firstOf(issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  const next = issues[MOST_TOLD];
  if (next === undefined) return issues;
  const { severity, code, file, line, column, path } = next;
  const message = `this and what follows is not told: ${issues.length - MOST_TOLD} more`;
  return [...issues.slice(0, MOST_TOLD), { severity, code, file, line, column, path, message, hint: "Mend the ones above first." }];
}

function toIssue({ path, at: _at, ...problem }: ConfigProblem, { file, line, column }: ConfigOrigin): ConfigIssue {
  return { severity: problem.code === "CONFIG_WARNING" ? "warning" : "error", file, line, column, path: showPath(path), ...problem };
}

function redacted(issue: ConfigIssue, redact: (text: string) => string): ConfigIssue {
  const { path, message, hint, found, allowed, nearest } = issue;
  return {
    ...issue,
    path: redact(path),
    message: redact(message),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
    ...(found === undefined ? {} : { found: redact(found) }),
    ...(allowed === undefined ? {} : { allowed: allowed.map(redact) }),
    ...(nearest === undefined ? {} : { nearest: redact(nearest) }),
  };
}
