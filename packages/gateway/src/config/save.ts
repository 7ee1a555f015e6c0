import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type ConfigPath, formatPath } from "@trunkline/core";
import { GatewayError } from "@trunkline/plugin-sdk";
import { type ConfigFiles, diskFiles } from "./files.ts";
import type { ConfigIssue } from "./issue.ts";
import { loadConfig, type LoadConfigOptions } from "./load.ts";
import { parseConfigPath } from "./paths.ts";
import type { ConfigTree } from "./config-tree.ts";
import { readSources } from "./sources.ts";
import { setYamlValue } from "./yaml-edit.ts";

export type SavedConfig =
  /** `file` is the one that was written: the main one, an included one, or an agent's. */
  | { readonly ok: true; readonly file: string; readonly path: ConfigPath }
  /** Nothing was written: the result would have these errors. */
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

/** How often a save begins again because somebody else changed the file meanwhile. */
const ATTEMPTS = 3;

/**
 * Writes one value into the file where it stands, or where what is around it stands. Comments, order and `${VAR}` stay, and no variable
 * or secret file is written out, since the text is edited and not made from values. The file is replaced as a whole, with the mode it
 * had. Refuses when the configuration would have errors. A change that somebody makes meanwhile is kept.
 * Throws CONFIG_WRITE_FAILED.
 */
export function setConfigValue(
  path: string | ConfigPath,
  value: unknown,
  options: LoadConfigOptions & { readonly file: string },
): SavedConfig {
  for (let attempt = 1; ; attempt += 1) {
    const main = mainFileOf(options);
    const text = readFileOrFail(main);
    const tree = readSources({ file: main, text }, options.env, diskFiles);
    const whole = typeof path === "string" ? parseConfigPath(path, tree.value) : path;
    const { file, local } = locateIn(whole, tree, main);
    const before = file === main ? text : readFileOrFail(file);
    const after = setYamlValue(before, local, value);
    if (after === undefined) throw writeFailed(file, `${formatPath(whole)} has no place of its own there`, PLACE_HINT);
    const loaded = loadConfig({ ...options, files: overlay(file, after, options.files ?? diskFiles) });
    if (!loaded.ok) return { ok: false, issues: loaded.issues };
    if (readFileOrFail(file) === before) {
      replaceFile(file, after);
      return { ok: true, file, path: whole };
    }
    if (attempt === ATTEMPTS) throw writeFailed(file, "it is being changed by another program", "Try again.");
  }
}

const PLACE_HINT = "It is inside an alias, a merge or broken YAML; change it in an editor.";

function mainFileOf(options: LoadConfigOptions & { readonly file: string }): string {
  return loadConfig({ ...options, files: diskFiles }).from.file ?? options.file;
}

/** The file that a path is to be written to, and its path in there: the file that has the longest start of it. */
function locateIn(path: ConfigPath, { places }: ConfigTree, main: string): { readonly file: string; readonly local: ConfigPath } {
  for (let length = path.length; length > 0; length -= 1) {
    const place = places.get(formatPath(path.slice(0, length)));
    // What counts here but is written for all accounts is not to be changed for all.
    if (place === undefined || place.by !== undefined) continue;
    const { file, tree } = place.source;
    const around = parseConfigPath(place.path, tree.value);
    const [next, ...rest] = path.slice(length);
    if (next === undefined) return { file, local: around };
    // Behind the end of a list that several files make up is behind the end of its part in this one.
    return { file, local: [...around, typeof next === "number" ? lengthAt(tree.value, around) : next, ...rest] };
  }
  return { file: main, local: path };
}

function lengthAt(tree: unknown, path: ConfigPath): number {
  let here = tree;
  for (const part of path) here = (here as Readonly<Record<string | number, unknown>> | null)?.[part];
  return Array.isArray(here) ? here.length : 0;
}

/** The disk with one file as it would be. */
function overlay(file: string, text: string, files: ConfigFiles): ConfigFiles {
  return { ...files, read: (path) => (resolve(path) === resolve(file) ? new TextEncoder().encode(text) : files.read(path)) };
}

function readFileOrFail(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw writeFailed(file, "it cannot be read", undefined, error);
  }
}

/** Replaces a file in one step: a reader sees the old text or the new one, also after a power cut. A link stays a link. */
export function replaceFile(file: string, text: string): void {
  let temporary: string | undefined;
  try {
    const real = realpathSync(file);
    const { mode, uid, gid } = statSync(real);
    temporary = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString("hex")}`);
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    chmodSync(temporary, mode & 0o777);
    keepOwner(temporary, uid, gid);
    renameSync(temporary, real);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw writeFailed(file, error instanceof Error && "code" in error ? String(error.code) : "unknown cause", undefined, error);
  }
}

/** Root may write for others; whoever is not root owns what they write. */
function keepOwner(file: string, uid: number, gid: number): void {
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function writeFailed(file: string, reason: string, hint?: string, cause?: unknown): GatewayError {
  return new GatewayError("CONFIG_WRITE_FAILED", { detail: { file, reason }, ...(hint === undefined ? {} : { hint }), cause });
}
