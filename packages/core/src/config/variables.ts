import { type JsonSchema, schemaAt } from "./json-schema.ts";
import type { ConfigContext, ConfigPath } from "./problem.ts";
import { isMap } from "./tree.ts";

/**
 * The tree with texts from the environment read as the type that the schema asks for there: `port: ${PORT}` is a number, `${FLAG}` true
 * or false. Everything that does not fit stays as it is, for the schema to refuse.
 */
export function typeVariables(tree: unknown, schema: JsonSchema, context: ConfigContext, path: ConfigPath = []): unknown {
  if (Array.isArray(tree)) return tree.map((value, index) => typeVariables(value, schema, context, [...path, index]));
  if (isMap(tree))
    return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, typeVariables(value, schema, context, [...path, key])]));
  if (typeof tree !== "string" || (context.written(path)?.variables.length ?? 0) === 0) return tree;
  const type = schemaAt(schema, path)?.["type"];
  const text = tree.trim();
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return tree;
}
