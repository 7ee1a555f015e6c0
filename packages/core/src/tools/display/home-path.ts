import { homedir } from "node:os";

/** What may stand before a path in a line of words: the beginning, white space, a quote, an opening bracket, `=`. */
const BEFORE = `(^|[\\s"'\`(\\[{=,;])`;
const BEHIND = `(?=[\\\\/]|$|[\\s"'\`)\\]},;:])`;

/** A path with the home folder as `~`: `/home/ann/a.ts` is `~/a.ts`; `/home/anne/a.ts` stays. `home` is this user's unless given. */
export function shortenHomePath(path: string, home: string = homedir()): string {
  const base = home.replace(/[\\/]+$/, "");
  if (base === "" || !startsWithFolder(path, base)) return path;
  return `~${path.slice(base.length)}`;
}

/**
 * The meta of a tool call as people read it: every path below the home folder begins with `~`, and everything else, what stands behind
 * the colon of a path, Windows paths and addresses among it, stays as it is.
 */
export function shortenMeta(meta: string, home: string = homedir()): string {
  const base = home.replace(/[\\/]+$/, "");
  if (base === "") return meta;
  const escaped = base.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return meta.replace(new RegExp(`${BEFORE}${escaped}${BEHIND}`, isWindows(base) ? "gi" : "g"), "$1~");
}

function startsWithFolder(path: string, folder: string): boolean {
  const same = isWindows(folder) ? path.toLowerCase().startsWith(folder.toLowerCase()) : path.startsWith(folder);
  return same && (path.length === folder.length || /[\\/]/.test(path.charAt(folder.length)));
}

function isWindows(path: string): boolean {
  return /^[a-z]:\\/i.test(path);
}
