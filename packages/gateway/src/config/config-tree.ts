import { type ConfigPath, type ConfigProblem, formatPath, type WrittenScalar } from "@trunkline/core";
import type { ConfigOrigin } from "@trunkline/plugin-sdk";
import type { YamlTree } from "./yaml-tree.ts";

/** One file of a configuration. */
export interface SourceFile {
  readonly file: string;
  readonly tree: YamlTree;
}

/** Where something of the whole configuration stands. */
export interface WrittenPlace {
  readonly source: SourceFile;
  /** Offsets in the file, of the key and of the value. */
  readonly key: number;
  readonly value: number;
  /** Dotted path inside the file; differs from the path in the whole where files are joined. */
  readonly path: string;
  /** The key that it is written under, when it counts here by a rule: `channels.telegram.defaults.dmPolicy`. */
  readonly by?: string;
}

/** A problem that was found while reading, with its place. */
export interface PlacedProblem {
  readonly problem: ConfigProblem;
  readonly origin: ConfigOrigin;
}

/** The values of all files as one tree, and where each of them was written. */
export interface ConfigTree {
  readonly value: unknown;
  readonly findings: readonly PlacedProblem[];
  /** By dotted path in the whole. */
  readonly places: ReadonlyMap<string, WrittenPlace>;
  readonly written: ReadonlyMap<string, WrittenScalar>;
  /** Dotted paths that are reported already and have no value. */
  readonly broken: ReadonlySet<string>;
  /** A file of it could not be read, so that nothing can be said about what is missing. */
  readonly incomplete: boolean;
}

/** A place in words of line and column. */
export function originOf(place: WrittenPlace, at: "key" | "value" = "value"): ConfigOrigin {
  return { file: place.source.file, ...place.source.tree.position(place[at]) };
}

/** The place of a path, or of the nearest thing around it that is written. */
export function placeAround(path: ConfigPath, places: ConfigTree["places"]): WrittenPlace | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const place = places.get(formatPath(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Entries of a list of one file that follow those of other files. */
interface Shift {
  readonly list: ConfigPath;
  readonly by: number;
}

/**
 * Joins the trees of several files: maps are merged, lists joined in the order of the files, and a value that two files write is an
 * error, so that no file silently wins over another.
 */
export class TreeJoiner {
  private value: unknown;
  private readonly findings: PlacedProblem[] = [];
  private readonly places = new Map<string, WrittenPlace>();
  private readonly written = new Map<string, WrittenScalar>();
  private readonly broken = new Set<string>();
  private incomplete = false;

  /** Adds a file whose keys are sections of the configuration. `value` is its tree's, without what is not to be joined. */
  add(source: SourceFile, value: unknown): void {
    const shifts: Shift[] = [];
    this.value = this.join(this.value, value, [], source, shifts);
    this.note(source, [], shifts);
  }

  /** Adds a file that is one entry of a list: an agent. Where something else stands than a list, only what is wrong in the file counts. */
  addEntry(source: SourceFile, value: unknown, list: ConfigPath): void {
    const entries = this.listAt(list);
    if (entries === undefined) {
      for (const { offset, ...problem } of source.tree.findings) this.report(source, offset, problem);
      return;
    }
    this.note(source, [...list, entries.length], []);
    entries.push(value);
  }

  /** A problem at an offset of a file. */
  report(source: SourceFile, offset: number, problem: ConfigProblem): void {
    this.findings.push({ problem, origin: { file: source.file, ...source.tree.position(offset) } });
  }

  /** A problem of a file as a whole. */
  reportFile(file: string, problem: ConfigProblem, place = { line: 0, column: 0 }): void {
    this.findings.push({ problem, origin: { file, ...place } });
  }

  /** From now on, what is missing may stand in a file that could not be read. */
  miss(): void {
    this.incomplete = true;
  }

  result(): ConfigTree {
    const { value, findings, places, written, broken, incomplete } = this;
    return { value, findings, places, written, broken, incomplete };
  }

  private join(into: unknown, from: unknown, path: ConfigPath, source: SourceFile, shifts: Shift[]): unknown {
    if (into === undefined || from === undefined) return into ?? from;
    if (isMap(into) && isMap(from)) {
      const joined: Record<string, unknown> = { ...into };
      for (const [key, value] of Object.entries(from)) {
        joined[key] = this.join(Object.hasOwn(into, key) ? into[key] : undefined, value, [...path, key], source, shifts);
      }
      return joined;
    }
    if (Array.isArray(into) && Array.isArray(from)) {
      shifts.push({ list: path, by: into.length });
      return [...into, ...from];
    }
    // Each file may say which version of the format it is in.
    if (path.length === 1 && path[0] === "version" && into === from) return into;
    this.reportTwice(path, source);
    return into;
  }

  private reportTwice(path: ConfigPath, source: SourceFile): void {
    const first = this.places.get(formatPath(path));
    const offset = source.tree.places.get(formatPath(path))?.key ?? 0;
    const { file, line } = first === undefined ? { file: "", line: 0 } : originOf(first);
    const where = first === undefined ? "Another file has it already" : `It stands in ${file} on line ${line}`;
    this.report(source, offset, {
      code: "CONFIG_INVALID",
      path,
      message: "this is written in two files",
      hint: `${where}; keep one of them. Files that are joined never overrule each other.`,
    });
  }

  private note(source: SourceFile, mount: ConfigPath, shifts: readonly Shift[]): void {
    const { tree } = source;
    const prefix = formatPath(mount);
    const whole = (key: string): string => [prefix, shiftKey(key, shifts)].filter((part) => part !== "").join(".");
    for (const [key, place] of tree.places) {
      if (!this.places.has(whole(key))) this.places.set(whole(key), { source, ...place, path: key });
    }
    for (const [key, scalar] of tree.written) if (!this.written.has(whole(key))) this.written.set(whole(key), scalar);
    for (const key of tree.broken) this.broken.add(whole(key));
    for (const { offset, path, ...problem } of tree.findings) {
      this.report(source, offset, { ...problem, path: [...mount, ...shiftPath(path, shifts)] });
    }
  }

  private listAt(path: ConfigPath): unknown[] | undefined {
    if (!isMap(this.value)) return undefined;
    let here: unknown = this.value;
    for (const [index, part] of path.entries()) {
      if (!isMap(here)) return undefined;
      const next: unknown = Object.hasOwn(here, part) ? here[part] : undefined;
      here = next ?? (here[part] = index === path.length - 1 ? [] : {});
    }
    return Array.isArray(here) ? here : undefined;
  }
}

function shiftKey(key: string, shifts: readonly Shift[]): string {
  for (const { list, by } of shifts) {
    const prefix = `${formatPath(list)}.`;
    const [, index, rest = ""] = key.startsWith(prefix) ? (/^(\d+)((?:\.|$).*)/s.exec(key.slice(prefix.length)) ?? []) : [];
    if (index !== undefined) return `${prefix}${Number(index) + by}${rest}`;
  }
  return key;
}

function shiftPath(path: ConfigPath, shifts: readonly Shift[]): ConfigPath {
  for (const { list, by } of shifts) {
    const index = path[list.length];
    if (typeof index === "number" && list.every((part, at) => path[at] === part))
      return [...list, index + by, ...path.slice(list.length + 1)];
  }
  return path;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
