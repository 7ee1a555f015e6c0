import type { z } from "zod";
import { describeFound, isShowable } from "./found.ts";
import { findNearest } from "./nearest.ts";
import type { ConfigContext, ConfigPath, ConfigProblem } from "./problem.ts";
import { valueAt } from "./tree.ts";
import { wrongType } from "./types.ts";

/** What the schema of the file found, in words for people. Unknown keys are left to `findUnknownKeys`, which knows the channels. */
export function schemaProblems(issues: readonly z.core.$ZodIssue[], tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  return issues.flatMap(insideUnion).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") return [];
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    return [schemaProblem(issue, path, valueAt(tree, path), context)];
  });
}

/** Of a value that may be of several kinds and is of one of them, with mistakes inside, the mistakes are told, not the kinds. */
function insideUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const inside = issue.errors.find((branch) => branch.length > 0 && branch.every(({ path }) => path.length > 0));
  return inside === undefined ? [issue] : inside.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

function schemaProblem(issue: z.core.$ZodIssue, path: ConfigPath, value: unknown, context: ConfigContext): ConfigProblem {
  if (value === undefined) return missing(path);
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected, value, path, context);
    case "invalid_value":
      return notAllowed(issue.values.map(String), value, path, context);
    case "invalid_key":
      return { code: "CONFIG_INVALID", path, at: "key", message: issue.issues[0]?.message ?? "this name is not allowed" };
    case "too_small":
      return outOfRange(issue.origin === "string" ? issue.message : `must be at least ${issue.minimum}`, value, path, context);
    case "too_big":
      return outOfRange(issue.origin === "array" ? issue.message : `must be at most ${issue.maximum}`, value, path, context);
    default:
      return outOfRange(issue.message, value, path, context);
  }
}

/** Message of a key that has to be there and is not. */
export const IS_MISSING = "is missing";

/** A key that has to be there and is not. */
export function missing(path: ConfigPath): ConfigProblem {
  const key = String(path.at(-1) ?? "");
  const hint = path.length === 1 && key === "version" ? "Write version: 1 as the first line." : `Add ${key}.`;
  return { code: "CONFIG_INVALID", path, message: IS_MISSING, hint, found: "nothing" };
}

/** A value that is none of a few words. */
export function notAllowed(allowed: readonly string[], value: unknown, path: ConfigPath, context: ConfigContext): ConfigProblem {
  if (value === null || typeof value === "object")
    return wrongType(allowed.length === 1 ? `${allowed[0]}` : "string", value, path, context);
  const found = describeFound(value, path, context);
  const nearest = isShowable(String(value), path, context) ? findNearest(String(value), allowed) : undefined;
  const choice = allowed.length === 1 ? `${allowed[0]}` : `one of ${allowed.join(", ")}`;
  return {
    code: "CONFIG_INVALID",
    path,
    message: `expected ${choice}, found ${found}`,
    found,
    allowed,
    ...(nearest === undefined ? {} : { nearest }),
    ...choiceHint(allowed, nearest, value, path),
  };
}

function choiceHint(allowed: readonly string[], nearest: string | undefined, value: unknown, path: ConfigPath): { readonly hint?: string } {
  if (nearest === String(value)) return { hint: `Write ${nearest} without quotes.` };
  if (path.length === 1 && path[0] === "version") return { hint: `This release reads version ${allowed.join(", ")} of the format.` };
  return nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` };
}

function outOfRange(message: string, value: unknown, path: ConfigPath, context: ConfigContext): ConfigProblem {
  const found = describeFound(value, path, context);
  const plain = found.startsWith("a list") || found.startsWith("a map") || value === "";
  return { code: "CONFIG_INVALID", path, message: plain ? message : `${message}; found ${found}`, found };
}
