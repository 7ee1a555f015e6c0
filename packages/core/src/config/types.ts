import { describeFound, isShowable, isShowableWord } from "./found.ts";
import { isIdPlace } from "./places.ts";
import type { ConfigContext, ConfigPath, ConfigProblem } from "./problem.ts";

/** The types that a schema may ask for, in words. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

/** A value of the wrong type: what was expected and found, and how to write it. `expected` is a JSON Schema or zod type name. */
export function wrongType(expected: string, value: unknown, path: ConfigPath, context: ConfigContext): ConfigProblem {
  if (typeof value === "number" && expected === "string" && isIdPlace(path))
    return unquotedId(context.written(path)?.source ?? String(value), path);
  const found = describeFound(value, path, context);
  const hint = remedy(expected, value, path, context);
  return {
    code: "CONFIG_INVALID",
    path,
    message: `expected ${EXPECTED[expected] ?? expected}, found ${found}`,
    found,
    allowed: [EXPECTED[expected] ?? expected],
    ...(hint === undefined ? {} : { hint }),
  };
}

/** An id that YAML took for a number: `source` is what stands in the file, since the number may have lost digits, its + or its 0. */
export function unquotedId(source: string, path: ConfigPath): ConfigProblem {
  const shown = isShowableWord(source);
  return {
    code: "CONFIG_INVALID",
    path,
    message: `the id ${shown ? source : "here"} is not in quotes, and YAML reads it as a number`,
    hint: shown ? `Digits can get lost that way. Write "${source}" in quotes.` : "Digits can get lost that way. Write it in quotes.",
    ...(shown ? { found: source } : {}),
  };
}

function remedy(expected: string, value: unknown, path: ConfigPath, context: ConfigContext): string | undefined {
  const comment = value === null ? context.written(path)?.comment : undefined;
  if (comment !== undefined && isShowable(comment, path, context))
    return `# starts a comment. If it belongs to the value, write ${JSON.stringify(`#${comment}`)} in quotes.`;
  if (expected === "string") return quotes(value, path, context);
  if (expected === "boolean") return yesOrNo(value);
  if (expected === "array") return listOfOne(value, path, context);
  if (expected === "object" || expected === "record") return mapHint(value, path, context);
  if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) && isShowable(value, path, context))
    return `Write ${value.trim()} without quotes.`;
  return undefined;
}

function quotes(value: unknown, path: ConfigPath, context: ConfigContext): string | undefined {
  if (typeof value !== "number" && typeof value !== "boolean") return undefined;
  const source = context.written(path)?.source ?? String(value);
  if (!isShowable(source, path, context)) return "Put the value in quotes.";
  return `Write "${source}" in quotes.`;
}

function yesOrNo(value: unknown): string {
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (word === "true" || word === "false") return `Write ${word} without quotes.`;
  if (["yes", "on", "y"].includes(word)) return "Write true.";
  if (["no", "off", "n"].includes(word)) return "Write false.";
  return "Write true or false.";
}

function listOfOne(value: unknown, path: ConfigPath, context: ConfigContext): string {
  const written = context.written(path);
  const text = typeof value === "string" ? value : (written?.source ?? "");
  if (/^-[^\s-]/.test(text)) return "A space is missing after the dash: write - value.";
  return text !== "" && isShowable(text, path, context) && typeof value !== "object"
    ? `Write ["${text}"].`
    : 'Write the entries in brackets: ["first", "second"].';
}

function mapHint(value: unknown, path: ConfigPath, context: ConfigContext): string {
  const key = String(path.at(-1) ?? "");
  if (value === null)
    return typeof path.at(-1) === "number"
      ? "Write the keys after the dash."
      : `Write ${key}: {} when it has no keys of its own, or indent its keys below it.`;
  if (typeof value === "string" && /^[\w-]+:\S/.test(value)) return "A space is missing after the colon: write key: value.";
  if (key === "model" && typeof value === "string" && isShowable(value, path, context)) return `Write model: { primary: ${value} }.`;
  return "Write its keys below it, indented, as key: value.";
}
