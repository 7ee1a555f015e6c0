import { showWord } from "./found.ts";
import { allowedKeys, type JsonSchema, schemaAt } from "./json-schema.ts";
import { findNearest } from "./nearest.ts";
import type { ConfigPath, ConfigProblem } from "./problem.ts";
import { isMap } from "./tree.ts";

/** Every key of the tree that means nothing where it stands, with what may stand there and the nearest of it. */
export function findUnknownKeys(tree: unknown, schema: JsonSchema, path: ConfigPath = []): readonly ConfigProblem[] {
  if (Array.isArray(tree)) return tree.flatMap((value, index) => findUnknownKeys(value, schema, [...path, index]));
  if (!isMap(tree)) return [];
  const here = schemaAt(schema, path);
  if (here === undefined) return [];
  const allowed = allowedKeys(here);
  return Object.entries(tree).flatMap(([key, value]) => {
    const at = [...path, key];
    return allowed === undefined || allowed.includes(key) ? findUnknownKeys(value, schema, at) : [unknownKey(at, key, allowed, schema)];
  });
}

function unknownKey(path: ConfigPath, key: string, allowed: readonly string[], schema: JsonSchema): ConfigProblem {
  const isChannel = path.length === 2 && path[0] === "channels";
  const nearest = findNearest(key, allowed);
  return {
    code: isChannel ? "CHANNEL_UNKNOWN" : "CONFIG_INVALID",
    path,
    at: "key",
    message: isChannel ? `there is no channel ${showWord(key)}` : `unknown key ${showWord(key)}`,
    hint: misplacedHint(path, key, allowed, schema) ?? knownHint(nearest, allowed),
    found: showWord(key),
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
  };
}

function knownHint(nearest: string | undefined, allowed: readonly string[]): string {
  if (allowed.length === 0) return "Nothing can be written here yet.";
  const known = `Known here: ${allowed.join(", ")}.`;
  return nearest === undefined ? known : `Did you mean ${nearest}? ${known}`;
}

/** Two mistakes whose remedy is not another key: `{token:abc}` without a space, and an account's key one or two levels too high. */
function misplacedHint(path: ConfigPath, key: string, allowed: readonly string[], schema: JsonSchema): string | undefined {
  const [word = ""] = key.split(":", 1);
  if (word !== key && allowed.includes(word)) return `A space is missing after the colon: write ${word}: and then the value.`;
  if (path[0] !== "channels" || path.length !== 3) return undefined;
  const account = allowedKeys(schemaAt(schema, [...path.slice(0, 2), "accounts", "main"])) ?? [];
  return account.includes(key) ? `${key} belongs to an account: write accounts: { main: { ${key}: ... } }.` : undefined;
}
