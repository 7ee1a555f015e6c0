import type { ConfigPath } from "@trunkline/core";

/**
 * Reads a path as people write it: `agents.list.0.model.primary`, `agents.list.aria.model.primary`, `channels.telegram.accounts.main`.
 * Positions may be in brackets. An entry of a list is also found by its `id`. Keys that have dots in them are found as they are in
 * `tree`. What is not there is taken as it is written.
 */
export function parseConfigPath(text: string, tree: unknown): ConfigPath {
  const parts = text
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((part) => part !== "");
  const path: (string | number)[] = [];
  let here = tree;
  for (let at = 0; at < parts.length;) {
    const { part, length } = Array.isArray(here) ? entryOf(here, parts[at] ?? "") : keyOf(here, parts, at);
    path.push(part);
    here = childOf(here, part);
    at += length;
  }
  return path;
}

function entryOf(list: readonly unknown[], part: string): { part: string | number; length: number } {
  const byId = list.findIndex((entry) => childOf(entry, "id") === part);
  if (byId !== -1) return { part: byId, length: 1 };
  return { part: /^\d+$/.test(part) ? Number(part) : part, length: 1 };
}

/** The longest run of parts that is a key. */
function keyOf(map: unknown, parts: readonly string[], at: number): { part: string; length: number } {
  for (let length = parts.length - at; length > 1; length -= 1) {
    const key = parts.slice(at, at + length).join(".");
    if (typeof map === "object" && map !== null && Object.hasOwn(map, key)) return { part: key, length };
  }
  return { part: parts[at] ?? "", length: 1 };
}

function childOf(value: unknown, part: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, part)
    ? (value as Readonly<Record<string | number, unknown>>)[part]
    : undefined;
}
