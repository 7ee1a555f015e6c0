import { basename, dirname, join, resolve } from "node:path";
import { AGENT_KEYS, type ConfigProblem, FILE_KEYS } from "@trunkline/core";
import { belongs, isBlank } from "./belongs.ts";
import { spreadChannelDefaults } from "./channel-defaults.ts";
import { type ConfigTree, type SourceFile, TreeJoiner } from "./config-tree.ts";
import type { Environment } from "./environment.ts";
import { type ConfigFiles, locate, readText, reason } from "./files.ts";
import { createYamlRoom } from "./yaml-room.ts";
import { parseYaml } from "./yaml-tree.ts";

/** Name of the main file in a folder. Agents in `agents/` beside a file of this name belong to it. */
export const MAIN_FILE = "trunkline.yaml";

/** Files that one configuration may consist of, agents apart; and agents. Each is looked at several times a second. */
const MAX_FILES = 100;
const MAX_AGENT_FILES = 1000;

/** Reads a configuration from its main file: with the files that it includes, and the agents in the folder beside it. Never throws. */
export function readSources(main: { readonly file: string; readonly text: string }, env: Environment, files: ConfigFiles): ConfigTree {
  return new SourceReader(env, files).read(main.file, main.text);
}

class SourceReader {
  private readonly env: Environment;
  private readonly files: ConfigFiles;
  private readonly joiner = new TreeJoiner();
  private readonly room = createYamlRoom();
  /** By absolute path: where each file was included. */
  private readonly seen = new Map<string, string>();

  constructor(env: Environment, files: ConfigFiles) {
    this.env = env;
    this.files = files;
  }

  read(file: string, text: string): ConfigTree {
    const main = this.parse(file, text);
    this.seen.set(resolve(file), file);
    this.joiner.add(main, main.tree.value);
    this.include(main, [main]);
    if (basename(file) === MAIN_FILE) this.agents(join(dirname(file), "agents"));
    return spreadChannelDefaults(this.joiner.result());
  }

  private parse(file: string, text: string): SourceFile {
    return { file, tree: parseYaml(text, this.env, this.room) };
  }

  /** Reads what a file includes; `chain` leads from the main file to it. */
  private include(source: SourceFile, chain: readonly SourceFile[]): void {
    for (const [index, entry] of includesOf(source).entries()) {
      const offset = source.tree.places.get(`include.${index}`)?.value ?? 0;
      // The schema tells about entries that are no text.
      if (typeof entry !== "string" || entry === "") continue;
      const file = locate(entry, source.file, this.env["HOME"]);
      const refusal = this.refuse(file, chain);
      if (refusal !== undefined) {
        this.joiner.report(source, offset, { code: "CONFIG_INVALID", path: ["include", index], ...refusal });
        continue;
      }
      this.seen.set(resolve(file), source.file);
      this.readIncluded(file, source, offset, index, chain);
    }
  }

  private readIncluded(file: string, from: SourceFile, offset: number, index: number, chain: readonly SourceFile[]): void {
    const reading = readText(this.files, file);
    if (!reading.ok) {
      this.joiner.miss();
      this.joiner.report(from, offset, {
        code: "CONFIG_FILE_UNREADABLE",
        path: ["include", index],
        message: `the included file ${file} ${reading.why}`,
        hint: reading.hint ?? "Check the path; it is relative to the folder of the file that includes it.",
      });
      return;
    }
    const source = this.parse(file, reading.text);
    const { value } = source.tree;
    if (!isBlank(reading.text) && !belongs(reading.text, value, FILE_KEYS)) {
      this.joiner.miss();
      this.joiner.report(from, offset, {
        code: "CONFIG_INVALID",
        path: ["include", index],
        message: `the included file ${file} is no part of a Trunkline configuration`,
        hint: "An included file holds sections, as key: value, and begins with the one that it is for, such as channels: or agents:.",
      });
      return;
    }
    if (value === undefined) this.joiner.miss();
    const { include, ...sections } = isMap(value) ? value : {};
    if (include !== undefined && !Array.isArray(include)) {
      this.joiner.report(source, source.tree.places.get("include")?.value ?? 0, NO_LIST);
    }
    this.joiner.add(source, sections);
    this.include(source, [...chain, source]);
  }

  private refuse(file: string, chain: readonly SourceFile[]): Pick<ConfigProblem, "message" | "hint"> | undefined {
    const path = resolve(file);
    const at = chain.findIndex((one) => resolve(one.file) === path);
    if (at !== -1) {
      const circle = [...chain.slice(at).map((one) => basename(one.file)), basename(file)].join(" → ");
      return { message: `the file includes itself: ${circle}`, hint: "Remove one of these lines." };
    }
    const earlier = this.seen.get(path);
    if (earlier !== undefined)
      return { message: "the file is included twice", hint: `${earlier} includes it already; remove one of the lines.` };
    if (this.seen.size < MAX_FILES) return undefined;
    return { message: `a configuration has at most ${MAX_FILES} files`, hint: "Put some of them together." };
  }

  /** One agent a file; its id is the file's name unless it says another. */
  private agents(folder: string): void {
    const names = this.namesIn(folder);
    if (names.length > MAX_AGENT_FILES) {
      this.joiner.miss();
      this.joiner.reportFile(folder, {
        code: "CONFIG_INVALID",
        path: [],
        message: `the folder of agents holds more than ${MAX_AGENT_FILES} files`,
        hint: "Move what is not an agent elsewhere.",
      });
    }
    for (const name of names.slice(0, MAX_AGENT_FILES)) {
      const file = join(folder, name);
      const reading = readText(this.files, file);
      if (!reading.ok) {
        this.joiner.miss();
        this.joiner.reportFile(file, {
          code: "CONFIG_FILE_UNREADABLE",
          path: [],
          message: `the agent file ${reading.why}`,
          hint: reading.hint ?? "Check its permissions, or remove it.",
        });
        continue;
      }
      const source = this.parse(file, reading.text);
      const { value } = source.tree;
      const id = name.replace(/\.ya?ml$/, "");
      if (!isBlank(reading.text) && !belongs(reading.text, value, AGENT_KEYS)) {
        this.joiner.reportFile(file, NO_AGENT, { line: 1, column: 1 });
        this.joiner.addEntry(withoutContent(source), { id }, ["agents", "list"]);
        continue;
      }
      if (value === undefined) this.joiner.miss();
      this.joiner.addEntry(source, isMap(value) ? { id, ...value } : { id }, ["agents", "list"]);
    }
  }

  /** The YAML files in a folder, by name; none when there is no such folder. Hidden files are an editor's. */
  private namesIn(folder: string): readonly string[] {
    try {
      return [...(this.files.list?.(folder) ?? [])].filter((name) => /^[^.].*\.ya?ml$/.test(name)).toSorted();
    } catch (error) {
      const why = reason(error);
      if (why === "does not exist") return [];
      this.joiner.miss();
      this.joiner.reportFile(folder, {
        code: "CONFIG_FILE_UNREADABLE",
        path: [],
        message: `the folder of agents ${why}`,
        hint: "Check its permissions.",
      });
      return [];
    }
  }
}

const NO_LIST: ConfigProblem = {
  code: "CONFIG_INVALID",
  path: ["include"],
  message: "expected a list",
  hint: 'Write the files in brackets: ["./first.yaml", "./second.yaml"].',
};

const NO_AGENT: ConfigProblem = {
  code: "CONFIG_INVALID",
  path: [],
  message: "a file in agents/ holds one agent, as key: value",
  hint: "Begin with a key of the agent, such as instructions:.",
};

/** A file of which nothing is told but that it is there: whoever names its agent is not to be told that there is none. */
function withoutContent({ file, tree }: SourceFile): SourceFile {
  return { file, tree: { ...tree, value: {}, findings: [], places: new Map(), written: new Map(), broken: new Set() } };
}

function includesOf({ tree }: SourceFile): readonly unknown[] {
  const include = isMap(tree.value) ? tree.value["include"] : undefined;
  return Array.isArray(include) ? include : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
