import type { ChannelPlugin, SchemaIssue } from "@trunkline/plugin-sdk";
import { COMMON_ACCOUNT_KEYS } from "./account-schema.ts";
import { allowedKeys, ownSchema, schemaAt } from "./json-schema.ts";
import type { ConfigContext, ConfigPath, ConfigProblem } from "./problem.ts";
import { missing, notAllowed } from "./schema-problems.ts";
import { isMap, valueAt } from "./tree.ts";
import { wrongType } from "./types.ts";

/** A channel's own part of an account: valid, with the schema's defaults, or what is wrong with it. */
export interface OwnKeys {
  readonly own: Readonly<Record<string, unknown>>;
  /** Whether there were keys that neither the channel nor the common part knows. */
  readonly hasUnknown: boolean;
  readonly problems: readonly ConfigProblem[];
}

/** Validates the keys of an account that are the channel's own, by its schema. Keys that it does not know are left out: `hasUnknown` tells. */
export function readOwnKeys(
  channel: ChannelPlugin,
  account: Readonly<Record<string, unknown>>,
  path: ConfigPath,
  context: ConfigContext,
): OwnKeys {
  const schema = ownSchema(channel);
  const known = allowedKeys({ ...schema, additionalProperties: false }) ?? [];
  const mine = Object.entries(account).filter(([key]) => !COMMON_ACCOUNT_KEYS.includes(key));
  const own = Object.fromEntries(mine.filter(([key]) => known.includes(key)));
  const hasUnknown = mine.some(([key]) => !known.includes(key));
  const result = validate(channel, own);
  if (typeof result === "string") return { own, hasUnknown, problems: [{ code: "CONFIG_INVALID", path, message: result }] };
  const problems = (result.issues ?? []).flatMap((issue) => ownProblem(issue, own, path, channel, context));
  return { own: result.issues === undefined && isMap(result.value) ? result.value : own, hasUnknown, problems };
}

type Validated = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

function validate(channel: ChannelPlugin, own: unknown): Validated | string {
  const failed = `the channel ${channel.label} could not check its keys`;
  try {
    const result = channel.configSchema["~standard"].validate(own);
    if (!(result instanceof Promise)) return result;
    // A schema that works asynchronously, or that threw: zod then tries again that way. Nobody waits for it, and it must not end the process.
    result.catch(() => undefined);
    return failed;
  } catch {
    // The cause may hold the very values that were checked, so it is not repeated.
    return failed;
  }
}

function ownProblem(
  issue: SchemaIssue,
  own: unknown,
  base: ConfigPath,
  channel: ChannelPlugin,
  context: ConfigContext,
): readonly ConfigProblem[] {
  if ("code" in issue && issue.code === "unrecognized_keys") return [];
  const below = (issue.path ?? []).map((part) => keyOf(typeof part === "object" ? part.key : part));
  const path = [...base, ...below];
  const value = valueAt(own, below);
  // A schema's own sentence says more than that the key is missing; a library's standard one does not.
  if (value === undefined)
    return [issue.message.startsWith("Invalid") ? missing(path) : { ...missing(path), hint: sentence(issue.message) }];
  const schema = schemaAt(ownSchema(channel), below);
  const type = schema?.["type"];
  if (typeof type === "string" && !hasType(value, type)) return [wrongType(type, value, path, context)];
  const words = schema?.["enum"];
  if (Array.isArray(words) && !words.includes(value)) return [notAllowed(words.map(String), value, path, context)];
  return [{ code: "CONFIG_INVALID", path, message: issue.message.slice(0, 300) }];
}

function sentence(message: string): string {
  const text = message.slice(0, 300);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === "number" ? key : String(key);
}

function hasType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isMap(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  return typeof value === type;
}
