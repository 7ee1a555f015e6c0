import { shortenMeta } from "./home-path.ts";
import { displayRowOf } from "./table.ts";
import { oneLine, redactDetail, resolveToolDisplay } from "./tool-display.ts";

export interface AggregateOptions {
  /** Commands stand in backticks where the channel shows Markdown. */
  readonly markdown?: boolean;
}

const SEPARATOR = " · ";
/** Words before a command that say how it runs, not what. */
const FLAG = /^[a-z][a-z -]{0,20}$/;

/**
 * One line for several calls of one tool: `📖 Read: src/{index.ts, config.ts}`. Paths are grouped by folder, in the order of their first
 * file, behind what is no path; commands stand in backticks when there is Markdown.
 */
export function formatToolAggregate(
  name: string | null | undefined,
  metas: readonly string[] = [],
  options: AggregateOptions = {},
): string {
  const { emoji, label } = resolveToolDisplay({ name });
  const isCommand = displayRowOf(name?.trim() ?? "")?.command === true;
  const shown = metas.map((meta) => redactDetail(shortenMeta(meta.trim()))).filter((meta) => meta !== "");
  const raw: string[] = [];
  const folders = new Map<string, string[]>();
  for (const meta of shown) {
    const cut = isPathLike(meta) ? folderEnd(meta) : -1;
    if (cut < 0) {
      raw.push(isCommand ? asCommand(oneLine(meta), options) : oneLine(meta));
      continue;
    }
    const folder = meta.slice(0, cut + 1);
    const files = folders.get(folder) ?? [];
    if (files.length === 0) folders.set(folder, files);
    files.push(meta.slice(cut + 1));
  }
  const grouped = [...folders].map(([folder, files]) => {
    const [first = ""] = files;
    return folder + (files.length === 1 ? first : `{${files.join(", ")}}`);
  });
  const parts = [...raw, ...grouped];
  return parts.length === 0 ? `${emoji} ${label}` : `${emoji} ${label}: ${parts.join("; ")}`;
}

function isPathLike(meta: string): boolean {
  return /[\\/]/.test(meta) && !/\s|:\/\/|→/u.test(meta);
}

/** Index of the separator before the file name; the path itself may end in one. */
function folderEnd(path: string): number {
  const end = /[\\/]$/.test(path) ? path.length - 1 : path.length;
  return Math.max(path.lastIndexOf("/", end - 1), path.lastIndexOf("\\", end - 1));
}

/** `pty · npm test` is `` pty · `npm test` ``: flags are no part of the command. */
function asCommand(meta: string, { markdown }: AggregateOptions): string {
  if (markdown !== true || meta.includes("`")) return meta;
  const parts = meta.split(SEPARATOR);
  let flags = 0;
  while (flags < parts.length - 1 && FLAG.test(parts[flags] ?? "")) flags += 1;
  return [...parts.slice(0, flags), `\`${parts.slice(flags).join(SEPARATOR)}\``].join(SEPARATOR);
}
