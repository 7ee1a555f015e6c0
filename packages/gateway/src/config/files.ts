import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** How the loader reads: replaced in tests. */
export interface ConfigFiles {
  /** Bytes of a file. Throws an error with a `code` such as ENOENT when it cannot. */
  read(path: string): Uint8Array;
  /** Permission bits of a file; undefined where they mean nothing. */
  mode(path: string): number | undefined;
  /** Names in a folder. Throws an error with a `code` when it cannot. Absent: there are no folders. */
  list?(folder: string): readonly string[];
}

/** The real disk. Only regular files: a pipe or a device would never end. */
export const diskFiles: ConfigFiles = {
  read(path) {
    const stats = statSync(path);
    if (stats.isDirectory()) throw fileError("EISDIR");
    if (!stats.isFile()) throw fileError("ENOTREG");
    if (stats.size > LARGEST) throw fileError("EFBIG");
    return readFileSync(path);
  },
  mode(path) {
    return process.platform === "win32" ? undefined : statSync(path).mode & 0o777;
  },
  list: (folder) => readdirSync(folder),
};

/** Files whose reading is noted: what a configuration is made of, and whether that changed. */
export interface RecordedFiles extends ConfigFiles {
  /** Every path that was asked for, whether it was there or not, in order. */
  paths(): readonly string[];
  /** The same text for the same contents, and for the same reasons not to be readable. */
  digest(): string;
}

/** Notes what is read through it. */
export function recordFiles(files: ConfigFiles): RecordedFiles {
  const paths = new Set<string>();
  const hash = createHash("sha256");
  const noted = <T extends string | Uint8Array>(path: string, read: () => T): T => {
    paths.add(path);
    hash.update(`\0${path}\0`);
    try {
      const content = read();
      hash.update(content);
      return content;
    } catch (error) {
      hash.update(`\0${String(codeOf(error))}`);
      throw error;
    }
  };
  return {
    read: (path) => noted(path, () => files.read(path)),
    mode: (path) => files.mode(path),
    list: (folder) =>
      noted(folder, () => [...(files.list?.(folder) ?? [])].toSorted().join("\n"))
        .split("\n")
        .filter((name) => name !== ""),
    paths: () => [...paths],
    digest: () => hash.copy().digest("hex"),
  };
}

/** Largest file that is read, in bytes: a configuration of a thousand agents fits, a log file named by mistake does not. */
const LARGEST = 1024 * 1024;

/** Text of a file, or why there is none, as a clause: `does not exist`. `before` is the text up to where the encoding breaks. */
export type TextReading =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string; readonly hint?: string; readonly before?: string; readonly isFolder?: boolean };

/** Reads UTF-8; a byte order mark is dropped. Never throws. */
export function readText(files: ConfigFiles, path: string): TextReading {
  let bytes: Uint8Array;
  try {
    bytes = files.read(path);
  } catch (error) {
    return { ok: false, why: reason(error), isFolder: codeOf(error) === "EISDIR" };
  }
  if (bytes.length > LARGEST) return { ok: false, why: reason(fileError("EFBIG")) };
  return decode(bytes);
}

/** Whether other users of the machine may read the file. False where that cannot be known. */
export function isReadableByOthers(files: ConfigFiles, path: string): boolean {
  try {
    return ((files.mode(path) ?? 0) & 0o044) !== 0;
  } catch {
    return false;
  }
}

/** A path written in the configuration: relative to the configuration's folder, `~/` to the home folder. */
export function locate(reference: string, configFile: string, home: string | undefined): string {
  if (reference.startsWith("~/") && home !== undefined && home !== "") return join(home, reference.slice(2));
  return isAbsolute(reference) ? reference : resolve(dirname(configFile), reference);
}

function decode(bytes: Uint8Array): TextReading {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { ok: false, why: "is UTF-16, and it has to be UTF-8", hint: "Save it again with the encoding UTF-8.", before: "" };
  }
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return {
      ok: false,
      why: "is not UTF-8",
      hint: "Save it again with the encoding UTF-8; the place is the first letter that is not.",
      before: validStart(bytes),
    };
  }
}

/** The text before the first byte that is not UTF-8, found by halving. */
function validStart(bytes: Uint8Array): string {
  let low = 0;
  let high = bytes.length;
  const valid = (length: number): boolean => {
    try {
      // Streaming leaves a character that is cut at the end for later instead of refusing it.
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (valid(middle)) low = middle;
    else high = middle - 1;
  }
  return new TextDecoder("utf-8").decode(bytes.subarray(0, low), { stream: true });
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** Why a file of more than 1 MB is not read. */
export const TOO_LARGE = "is larger than 1 MB";

/** Why something cannot be read, as a clause: `does not exist`. */
export function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  if (code === "EISDIR") return "is a folder";
  if (code === "ENOTREG") return "is not a regular file";
  if (code === "EFBIG") return TOO_LARGE;
  return `cannot be read (${typeof code === "string" ? code : "unknown cause"})`;
}

function fileError(code: string): Error {
  return Object.assign(new TypeError(code), { code });
}
