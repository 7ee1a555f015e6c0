import type { ConfigPath } from "./problem.ts";

/** The value as a map; an empty one when it is anything else. Checks read the raw tree, where types may still be wrong. */
export function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

/** Whether the value is a map. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a list; an empty one when it is anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list with their positions; what is not text is left out, since the schema has already refused it. */
export function textsOf(value: unknown): readonly (readonly [index: number, text: string])[] {
  return listOf(value).flatMap((entry, index) => (typeof entry === "string" ? [[index, entry] as const] : []));
}

/** The value at a path; undefined when there is none. */
export function valueAt(tree: unknown, path: ConfigPath): unknown {
  let value = tree;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** Every account of the tree with its channel's id, whatever else is wrong with it. */
export function accountsOf(
  tree: unknown,
): readonly { channel: string; account: string; path: ConfigPath; value: Readonly<Record<string, unknown>> }[] {
  return Object.entries(mapOf(mapOf(tree)["channels"])).flatMap(([channel, section]) =>
    Object.entries(mapOf(mapOf(section)["accounts"])).map(([account, value]) => ({
      channel,
      account,
      path: ["channels", channel, "accounts", account],
      value: mapOf(value),
    })),
  );
}
