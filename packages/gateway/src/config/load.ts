import { type ConfigPath, type ConfigProblem, formatPath, readConfig, showPath, type WrittenScalar } from "@trunkline/core";
import { type ChannelPlugin, type ConfigSnapshot, createRedactor } from "@trunkline/plugin-sdk";
import { builtInChannels, builtInConfig } from "./builtin.ts";
import type { Environment } from "./environment.ts";
import { type ConfigFiles, diskFiles, readText } from "./files.ts";
import { type ConfigIssue, sortIssues } from "./issue.ts";
import { readReferences } from "./references.ts";
import { createSnapshot } from "./snapshot.ts";
import { type ConfigTree, parseConfigTree } from "./yaml-tree.ts";

export interface LoadConfigOptions {
  /** Path of the YAML file; without one, the built-in configuration. */
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

/** A configuration that can run, or all that is wrong with it. Warnings come with both. */
export type LoadedConfig =
  | {
      readonly ok: true;
      readonly snapshot: ConfigSnapshot;
      /** For the redactor: every value that must not be printed. */
      readonly secrets: readonly string[];
      readonly warnings: readonly ConfigIssue[];
    }
  | {
      readonly ok: false;
      readonly issues: readonly ConfigIssue[];
      readonly warnings: readonly ConfigIssue[];
      readonly secrets: readonly string[];
    };

/** Loads the configuration: file, YAML, environment, referenced files, checks, defaults. Never throws. */
export function loadConfig(options: LoadConfigOptions): LoadedConfig {
  const { file, env, channels, files = diskFiles } = options;
  if (file === undefined) return check(builtInConfig(channels), undefined, options);
  const reading = readText(files, file);
  if (reading.ok) {
    const tree = parseConfigTree(reading.text, env);
    return check(tree.value, tree, options);
  }
  const place = reading.before === undefined ? { line: 0, column: 0 } : endOf(reading.before);
  const hint = reading.hint ?? "Check the path and its permissions, or start without --config to use the built-in demo.";
  return {
    ok: false,
    issues: [
      {
        severity: "error",
        code: "CONFIG_FILE_UNREADABLE",
        file,
        ...place,
        path: "",
        message: `the configuration file ${reading.why}`,
        hint,
      },
    ],
    warnings: [],
    secrets: [],
  };
}

function check(
  raw: unknown,
  tree: ConfigTree | undefined,
  { file = "", env, channels, knownProviders, files = diskFiles, revision = 1 }: LoadConfigOptions,
): LoadedConfig {
  const written = (path: ConfigPath): WrittenScalar | undefined => tree?.written.get(formatPath(path));
  const references = readReferences(withChannels(raw, channels), { file, files, env, channels, written });
  const reading = raw === undefined ? { problems: [] } : readConfig(references.tree, { channels, knownProviders, written });
  const broken = new Set([...(tree?.broken ?? []), ...references.broken.map(formatPath)]);
  const findings = (tree?.findings ?? []).map((finding) => ({ problem: finding, ...place(tree, finding.offset) }));
  const taken = new Set(findings.map(({ line, column }) => `${line}:${column}`));
  // What is broken has been told once; that it is therefore missing or wrong says nothing new.
  const checked = reading.problems.filter(({ path }) => !path.some((_, length) => broken.has(formatPath(path.slice(0, length + 1)))));
  const problems = [...references.problems, ...checked]
    .map((problem) => ({ problem, ...place(tree, offsetOf(problem, tree)) }))
    .filter(({ problem, line, column }) => problem.code === "CONFIG_WARNING" || !taken.has(`${line}:${column}`) || line === 0);
  const redact = createRedactor();
  for (const secret of references.secrets) redact.add(secret);
  const issues = sortIssues(
    [...findings, ...problems].map(({ problem, line, column }) => toIssue(problem, file, line, column, (text) => redact.text(text))),
  );
  const warnings = issues.filter((issue) => issue.severity === "warning");
  const { secrets } = references;
  const errors = issues.filter((issue) => issue.severity === "error");
  if (errors.length > 0 || reading.config === undefined) return { ok: false, issues: errors, warnings, secrets };
  return { ok: true, snapshot: createSnapshot(reading.config, revision, file, tree), secrets, warnings };
}

/** A file that names no channels gets the web chat. */
function withChannels(raw: unknown, channels: readonly ChannelPlugin[]): unknown {
  const isMap = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  return isMap && !Object.hasOwn(raw, "channels") ? { ...raw, channels: builtInChannels(channels) } : raw;
}

/** Where a problem stands: its key or value, or, when that is not written, the nearest thing around it that is. */
function offsetOf({ path, at }: ConfigProblem, tree: ConfigTree | undefined): number | undefined {
  const own = tree?.places.get(formatPath(path));
  if (own !== undefined) return at === "key" ? own.key : own.value;
  for (let length = path.length - 1; length > 0; length -= 1) {
    const around = tree?.places.get(formatPath(path.slice(0, length)));
    if (around !== undefined) return around.value;
  }
  return tree === undefined ? undefined : 0;
}

function place(tree: ConfigTree | undefined, offset: number | undefined): { line: number; column: number } {
  return tree === undefined || offset === undefined ? { line: 0, column: 0 } : tree.position(offset);
}

function endOf(text: string): { line: number; column: number } {
  const lines = text.split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function toIssue(problem: ConfigProblem, file: string, line: number, column: number, redact: (text: string) => string): ConfigIssue {
  const { code, path, message, hint, found, allowed, nearest } = problem;
  return {
    severity: code === "CONFIG_WARNING" ? "warning" : "error",
    code,
    file,
    line,
    column,
    path: redact(showPath(path)),
    message: redact(message),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
    ...(found === undefined ? {} : { found: redact(found) }),
    ...(allowed === undefined ? {} : { allowed: allowed.map(redact) }),
    ...(nearest === undefined ? {} : { nearest: redact(nearest) }),
  };
}
