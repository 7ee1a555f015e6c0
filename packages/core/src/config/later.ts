import { type ConfigPath, type ConfigProblem, warning } from "./problem.ts";
import { isMap, listOf, mapOf, valueAt } from "./tree.ts";

/** Keys that the format has and this version does not act on, with the value that asks for nothing. */
const WITHOUT_EFFECT: readonly (readonly [path: ConfigPath, nothing: (value: unknown) => boolean])[] = [
  [["session", "reset"], isEmpty],
  [["session", "identityLinks"], isEmpty],
  [["messages", "locale"], (value) => value === "en"],
  [["elevated", "allowFrom"], isEmpty],
  [["context", "clarifyBelow"], (value) => value === 0],
  [["context", "embeddings"], (value) => value === "lexical"],
];

/** Warnings for what the file asks for and this version does not do yet. Reads the raw tree. */
export function laterProblems(tree: unknown): readonly ConfigProblem[] {
  const agents: ConfigPath[] = [
    ["agents", "defaults"],
    ...listOf(valueAt(tree, ["agents", "list"])).map((_, index) => ["agents", "list", index]),
  ];
  const switches = agents.flatMap((path) => ["reasoning"].map((key) => [[...path, key], (value: unknown) => value === "off"] as const));
  return [...WITHOUT_EFFECT, ...switches, ...neverUsed(tree)].flatMap(([path, nothing]) => {
    const value = valueAt(tree, path);
    return value === undefined || value === null || nothing(value) ? [] : [warning(path, "has no effect in this version")];
  });
}

/** Keys that are kept for later wherever they stand in a list or map. */
function neverUsed(tree: unknown): readonly (readonly [path: ConfigPath, nothing: () => boolean])[] {
  const never = (path: ConfigPath) => [path, () => false] as const;
  const avatars = listOf(valueAt(tree, ["agents", "list"])).map((_, index) => never(["agents", "list", index, "identity", "avatar"]));
  const prices = Object.entries(mapOf(valueAt(tree, ["providers"]))).flatMap(([provider, value]) =>
    Object.keys(mapOf(mapOf(value)["models"])).map((model) => never(["providers", provider, "models", model, "price"])),
  );
  return [...avatars, ...prices];
}

function isEmpty(value: unknown): boolean {
  return (Array.isArray(value) && value.length === 0) || (isMap(value) && Object.keys(value).length === 0);
}
