import {
  type ConfigPath,
  type ConfigProblem,
  isSecretPlace,
  isUrlPlace,
  splitPostgresUrl,
  warning,
  type WrittenScalar,
} from "@trunkline/core";
import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import type { Environment } from "./environment.ts";
import { type ConfigFiles, isReadableByOthers, locate, readText } from "./files.ts";

export interface ReferenceInput {
  /** The file that a value is written in: paths in it are relative to its folder. */
  readonly fileOf: (path: ConfigPath) => string;
  readonly files: ConfigFiles;
  readonly env: Environment;
  readonly channels: readonly ChannelPlugin[];
  readonly written: (path: ConfigPath) => WrittenScalar | undefined;
}

/** The tree with the files read that it names, and every secret that was met. */
export interface Dereferenced {
  readonly tree: unknown;
  readonly secrets: readonly string[];
  readonly problems: readonly ConfigProblem[];
  /** Places of problems that have no value now. */
  readonly broken: readonly ConfigPath[];
}

/** A text that is a path to a file with instructions, rather than the instructions. */
const INSTRUCTIONS_FILE = /^(?:\.\.?\/|~\/|\/)[^\n]*\.(?:md|txt)$/;

/** Reads `file:` secrets and files of instructions. Never throws. */
export function readReferences(tree: unknown, input: ReferenceInput): Dereferenced {
  const secrets = new Set<string>();
  const problems: ConfigProblem[] = [];
  const broken: ConfigPath[] = [];
  let bare: ConfigPath | undefined;
  const take = (reading: Reading, path: ConfigPath): unknown => {
    problems.push(...reading.problems);
    if (reading.text === undefined) broken.push(path);
    return reading.text;
  };
  const walk = (value: unknown, path: ConfigPath): unknown => {
    if (Array.isArray(value)) return value.map((entry, index) => walk(entry, [...path, index]));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, walk(entry, [...path, key])]));
    if (isUrlPlace(path) && typeof value === "string") for (const secret of passwordsOf(value)) secrets.add(secret);
    if (isSecretPlace(path, input.channels) && value !== null) {
      const isReference = typeof value === "string" && value.startsWith("file:");
      const secret = isReference ? take(secretFile(value, path, input), path) : value;
      for (const one of typeof secret === "string" ? secretsOf(secret) : [String(secret)]) secrets.add(one);
      if (!isReference && value !== "" && (input.written(path)?.variables.length ?? 1) === 0) bare ??= path;
      return secret;
    }
    return isInstructions(path) && typeof value === "string" ? take(instructions(value, path, input), path) : value;
  };
  const result = walk(tree, []);
  for (const [name, value] of Object.entries(input.env)) if (value && SECRET_VARIABLE.test(name)) secrets.add(value);
  if (bare !== undefined) problems.push(...bareSecret(bare, input));
  return { tree: result, secrets: [...secrets].filter((secret) => secret !== "" && secret !== "undefined"), problems, broken };
}

/** Variables that are secrets by their name, wherever in the file they stand. */
const SECRET_VARIABLE = /TOKEN|KEY$|_KEY_|SECRET|PASSWORD|PASSWD/i;

interface Reading {
  /** Undefined when the file could not be read. */
  readonly text?: string;
  readonly problems: readonly ConfigProblem[];
}

function secretFile(reference: string, path: ConfigPath, input: ReferenceInput): Reading {
  const located = locate(reference.slice("file:".length).trim(), input.fileOf(path), input.env["HOME"]);
  const reading = readText(input.files, located);
  const failed = (why: string, hint: string): Reading => ({
    problems: [{ code: "CONFIG_SECRET_UNREADABLE", path, message: `the secret file ${located} ${why}`, hint }],
  });
  if (!reading.ok) return failed(reading.why, reading.hint ?? "Check the path after file:; it is relative to the folder of this file.");
  const text = reading.text.replace(/(?:\r?\n)+$/, "");
  if (text.trim() === "") return failed("is empty", "Write the secret into it.");
  const shared = isReadableByOthers(input.files, located);
  return {
    text,
    problems: shared
      ? [warning(path, `the secret file ${located} can be read by other users of this machine`, `Run: chmod 600 ${located}`)]
      : [],
  };
}

function instructions(value: string, path: ConfigPath, input: ReferenceInput): Reading {
  const text = value.trim();
  if (!INSTRUCTIONS_FILE.test(text)) {
    const meant = /^(?:file:)?[^\s:]+\.(?:md|txt)$/.exec(text);
    if (meant === null) return { text: value, problems: [] };
    return {
      text: value,
      problems: [
        warning(
          path,
          "this text looks like the name of a file, and it is used as the instructions",
          `Write ./${text.replace(/^file:/, "").replace(/^\.\//, "")} to read the file.`,
        ),
      ],
    };
  }
  const located = locate(text, input.fileOf(path), input.env["HOME"]);
  const reading = readText(input.files, located);
  if (reading.ok) return { text: reading.text, problems: [] };
  const hint = reading.hint ?? "Check the path; it is relative to the folder of this file.";
  return { problems: [{ code: "CONFIG_FILE_UNREADABLE", path, message: `the instructions file ${located} ${reading.why}`, hint }] };
}

function isInstructions(path: ConfigPath): boolean {
  return path.length === 4 && path[0] === "agents" && path[1] === "list" && path[3] === "instructions";
}

function bareSecret(path: ConfigPath, { fileOf, files }: ReferenceInput): readonly ConfigProblem[] {
  const file = fileOf(path);
  if (!isReadableByOthers(files, file)) return [];
  return [
    warning(
      path,
      "a secret stands in a file that other users of this machine can read",
      `Run: chmod 600 ${file}; or write \${VARIABLE} or file:./path instead of the secret.`,
    ),
  ];
}

/** A secret and, of a header such as `Bearer abc`, the part that matters. */
function secretsOf(value: string): readonly string[] {
  const [, credential] = /^\w+ (\S+)$/.exec(value) ?? [];
  return credential === undefined ? [value] : [value, credential];
}

/** The password of a URL, as written and decoded. */
function passwordsOf(value: string): readonly string[] {
  // That of a database may have / # ? in it, which end it for the URL class.
  const [, whole] = /^postgres(?:ql)?:\/\/[^:@/?#]*:(.*)@/is.exec(value) ?? [];
  if (whole !== undefined) return [whole, splitPostgresUrl(value)?.password ?? whole];
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return password === "" ? [] : [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
