import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { z } from "zod";
import { fileSchema } from "./schema.ts";
import { isMap, mapOf } from "./tree.ts";
import type { ConfigPath } from "./problem.ts";

/** A JSON Schema, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of the whole file with these channels' own account keys: for editors, for the list of allowed keys in messages,
 * and for reading numbers out of environment variables.
 */
export function configJsonSchema(channels: readonly ChannelPlugin[]): JsonSchema {
  const file = z.toJSONSchema(fileSchema, { io: "input", target: "draft-2020-12", unrepresentable: "any" }) as Record<string, unknown>;
  const properties = { ...mapOf(file["properties"]) };
  const section = mapOf(mapOf(properties["channels"])["additionalProperties"]);
  const accounts = mapOf(mapOf(section["properties"])["accounts"]);
  const common = mapOf(accounts["additionalProperties"]);
  const commonKeys = mapOf(mapOf(section["properties"])["defaults"]);
  properties["channels"] = {
    type: "object",
    description: mapOf(properties["channels"])["description"],
    default: {},
    properties: Object.fromEntries(
      channels.filter(isConnecting).map((channel) => [
        channel.id,
        {
          ...section,
          title: channel.label,
          properties: {
            defaults: { ...joinAccount(common, { ...ownSchema(channel), required: [] }), description: commonKeys["description"] },
            accounts: { ...accounts, additionalProperties: joinAccount(common, ownSchema(channel)) },
          },
        },
      ]),
    ),
    additionalProperties: false,
  };
  return { ...file, title: "Trunkline configuration", properties };
}

/** The same schema for editors: where a number or a switch is expected, `${VARIABLE}` is fine too. */
export function editorJsonSchema(channels: readonly ChannelPlugin[]): JsonSchema {
  return admitVariables(configJsonSchema(channels)) as JsonSchema;
}

/** The schema of a value below `schema`; undefined where anything may stand. */
export function schemaAt(schema: JsonSchema, path: ConfigPath): JsonSchema | undefined {
  let here: unknown = schema;
  for (const part of path) {
    const { properties, additionalProperties, items } = mapOf(here);
    here = typeof part === "number" ? items : (ownValue(properties, part) ?? additionalProperties);
  }
  return isMap(here) ? here : undefined;
}

/** The keys that may stand in a map; undefined when any may. */
export function allowedKeys(schema: JsonSchema | undefined): readonly string[] | undefined {
  return schema?.["additionalProperties"] === false ? Object.keys(mapOf(schema["properties"])) : undefined;
}

/** Whether accounts of a channel can be configured. */
export function isConnecting(channel: ChannelPlugin): boolean {
  return channel.connect !== undefined;
}

const ownSchemas = new WeakMap<ChannelPlugin["configSchema"], JsonSchema>();

/** The JSON Schema of a channel's own account keys. Made once: that takes longer than checking an account by it. */
export function ownSchema({ configSchema }: ChannelPlugin): JsonSchema {
  const known = ownSchemas.get(configSchema);
  if (known !== undefined) return known;
  const made = configSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  ownSchemas.set(configSchema, made);
  return made;
}

/** One account: the common keys and the channel's own ones, and no others. */
function joinAccount(common: JsonSchema, own: JsonSchema): JsonSchema {
  const required = own["required"];
  return {
    type: "object",
    properties: { ...mapOf(own["properties"]), ...mapOf(common["properties"]) },
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function ownValue(properties: unknown, key: string): unknown {
  const map = mapOf(properties);
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function admitVariables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(admitVariables);
  if (!isMap(schema)) return schema;
  const type = schema["type"];
  if (type === "integer" || type === "number" || type === "boolean") {
    const { description, default: standard, ...rest } = schema;
    const kept = { ...(description === undefined ? {} : { description }), ...(standard === undefined ? {} : { default: standard }) };
    return "const" in rest ? schema : { ...kept, anyOf: [rest, { type: "string", pattern: "^\\$\\{.+\\}$" }] };
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === "default" || key === "enum" ? value : admitVariables(value)]),
  );
}
