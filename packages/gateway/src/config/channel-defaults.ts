import { type ConfigPath, formatPath } from "@trunkline/core";
import type { ConfigTree, WrittenPlace } from "./config-tree.ts";

/**
 * The tree with what a channel says for all its accounts (`channels.<channel>.defaults`) written into each of them, where the account
 * does not say it itself: scalars and lists of the account replace, maps merge. Every value keeps the place where it was written.
 */
export function spreadChannelDefaults(tree: ConfigTree): ConfigTree {
  const channels = isMap(tree.value) ? tree.value["channels"] : undefined;
  if (!isMap(channels)) return tree;
  const spreader = new Spreader(tree);
  const spread = Object.entries(channels).map(([id, section]) => [id, spreader.section(section, ["channels", id])] as const);
  return spreader.result({ ...(tree.value as object), channels: Object.fromEntries(spread) });
}

class Spreader {
  private readonly tree: ConfigTree;
  private readonly places: Map<string, WrittenPlace>;
  private readonly written: Map<string, NonNullable<ReturnType<ConfigTree["written"]["get"]>>>;
  private readonly broken: Set<string>;

  constructor(tree: ConfigTree) {
    this.tree = tree;
    this.places = new Map(tree.places);
    this.written = new Map(tree.written);
    this.broken = new Set(tree.broken);
  }

  result(value: unknown): ConfigTree {
    const { tree, places, written, broken } = this;
    return { ...tree, value, places, written, broken };
  }

  section(section: unknown, path: ConfigPath): unknown {
    // What is no map stays, for the schema to refuse.
    if (!isMap(section) || !isMap(section["defaults"])) return section;
    const { defaults, ...rest } = section;
    const { accounts } = rest;
    if (!isMap(accounts)) return rest;
    const filled = Object.entries(accounts).map(
      ([name, account]) => [name, this.fill(account, defaults, [...path, "accounts", name], [...path, "defaults"])] as const,
    );
    return { ...rest, accounts: Object.fromEntries(filled) };
  }

  /** `own` with what `common` has and it has not. */
  private fill(own: unknown, common: unknown, at: ConfigPath, from: ConfigPath): unknown {
    if (own === undefined && !this.broken.has(formatPath(at))) {
      this.copy(formatPath(from), formatPath(at));
      return common;
    }
    if (!isMap(own) || !isMap(common)) return own;
    const keys = [...new Set([...Object.keys(own), ...Object.keys(common)])];
    const valueOf = (map: Readonly<Record<string, unknown>>, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined);
    return Object.fromEntries(keys.map((key) => [key, this.fill(valueOf(own, key), valueOf(common, key), [...at, key], [...from, key])]));
  }

  /** Notes of a value and all in it that it was written elsewhere. */
  private copy(from: string, to: string): void {
    const moved = (key: string): string | undefined =>
      key === from || key.startsWith(`${from}.`) ? to + key.slice(from.length) : undefined;
    for (const [key, place] of this.tree.places) {
      const target = moved(key);
      if (target !== undefined) this.places.set(target, { ...place, by: key });
    }
    for (const [key, scalar] of this.tree.written) {
      const target = moved(key);
      if (target !== undefined) this.written.set(target, scalar);
    }
    for (const key of this.tree.broken) {
      const target = moved(key);
      if (target !== undefined) this.broken.add(target);
    }
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
