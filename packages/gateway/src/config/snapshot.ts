import type { ConfigOrigin, ConfigSnapshot, GatewayConfig } from "@trunkline/plugin-sdk";
import { type ConfigTree, originOf } from "./config-tree.ts";

/** An immutable snapshot of a configuration that can tell where its values were written. */
export function createSnapshot(config: GatewayConfig, revision: number, tree: ConfigTree | undefined): ConfigSnapshot {
  return Object.freeze({
    revision,
    config: freeze(config),
    origin: (path: string) => (tree === undefined ? undefined : findOrigin(path, tree)),
  });
}

/** Strips one part after another from the end until something is written. Keys with dots in them are found whole, since their path is. */
function findOrigin(path: string, tree: ConfigTree): ConfigOrigin | undefined {
  let here = path.replace(/\[(\d+)\]/g, ".$1");
  while (here !== "") {
    const place = tree.places.get(here);
    if (place !== undefined) return originOf(place);
    here = here.slice(0, Math.max(here.lastIndexOf("."), 0));
  }
  return undefined;
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) freeze(entry);
  return value;
}
