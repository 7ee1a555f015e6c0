import type { ChannelPlugin } from "@trunkline/plugin-sdk";

/** Keys and list positions from the top of the file. */
export type ConfigPath = readonly (string | number)[];

/** What kind of problem it is: a code of the error table, or CONFIG_WARNING for what does not stop the gateway. */
export type ConfigProblemCode =
  | "CONFIG_FILE_UNREADABLE"
  | "CONFIG_SYNTAX"
  | "CONFIG_INVALID"
  | "CONFIG_VARIABLE_MISSING"
  | "CONFIG_SECRET_UNREADABLE"
  | "CHANNEL_UNKNOWN"
  | "CHANNEL_RENDERS_ONLY"
  | "MODEL_UNKNOWN"
  | "CONFIG_WARNING";

/** One thing to tell the person who wrote the configuration. Where it stands in the file is added by whoever read the file. */
export interface ConfigProblem {
  readonly code: ConfigProblemCode;
  readonly path: ConfigPath;
  /** `key`: point at the key itself; default: at its value. */
  readonly at?: "key";
  readonly message: string;
  /** The next step, in one or two sentences. */
  readonly hint?: string;
  /** What is there now. Never a secret, never longer than a line. */
  readonly found?: string;
  readonly allowed?: readonly string[];
  /** The allowed word that is closest to what is there. */
  readonly nearest?: string;
}

/** How a scalar was written, where that differs from its value. */
export interface WrittenScalar {
  /** Characters in the file, without quotes. */
  readonly source: string;
  readonly quoted: boolean;
  /** Environment variables that its text came from. */
  readonly variables: readonly string[];
  /** What follows an empty value after `#`, without the `#`. */
  readonly comment?: string;
}

/** What the checks know besides the tree of values. */
export interface ConfigContext {
  readonly channels: readonly ChannelPlugin[];
  /** Providers that exist without an entry in `providers`. */
  readonly knownProviders: readonly string[];
  /** How the scalar at a path was written; undefined for maps, lists and values that stand in no file. */
  readonly written: (path: ConfigPath) => WrittenScalar | undefined;
  /** A part of the configuration could not be read: what seems to be missing may stand there. */
  readonly incomplete?: boolean;
}

/** The path as people and `trunkline config get` write it: `agents.list.0.id`. */
export function formatPath(path: ConfigPath): string {
  return path.join(".");
}

/** A warning: the gateway starts, and the person is told. */
export function warning(path: ConfigPath, message: string, hint?: string): ConfigProblem {
  return { code: "CONFIG_WARNING", path, message, ...(hint === undefined ? {} : { hint }) };
}
