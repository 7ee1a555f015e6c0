import { createRedactor } from "@trunkline/plugin-sdk";
import { isSecretPlace, isUrlPlace } from "./places.ts";
import { type ConfigContext, type ConfigPath, formatPath } from "./problem.ts";

/** Longer texts are described, not shown: they are prose or keys. */
const SHOWN_LENGTH = 40;
const SECRET_NAME = /token|key|secret|password|passwd|auth|credential/i;
const shapes = createRedactor();

/** What is at a path now, in words, with its characters only where they cannot be a secret: `the text "opn"`, `the number 5`. */
export function describeFound(value: unknown, path: ConfigPath, context: ConfigContext): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const kind = typeof value === "string" ? "text" : "number";
  const written = context.written(path);
  const [variable] = written?.variables ?? [];
  if (variable !== undefined) return `the value of \${${variable}}`;
  if (typeof value === "boolean") return String(value);
  if (!isShowable(String(value), path, context)) return `a ${kind} that is not shown here`;
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return `the ${kind} ${written?.source ?? String(value)}`;
}

/** Whether characters from this place may be printed: short, one line, and neither in a secret place nor of a secret's shape. */
export function isShowable(text: string, path: ConfigPath, context: ConfigContext): boolean {
  if (isSecretPlace(path, context.channels) || isUrlPlace(path) || path.some((part) => SECRET_NAME.test(String(part)))) return false;
  return isShowableWord(text) && (context.written(path)?.variables.length ?? 0) === 0;
}

/** Whether a word (a key, an id) may be printed wherever it stands. */
export function isShowableWord(text: string): boolean {
  return text.length <= SHOWN_LENGTH && !/[\p{Cc}\u2028\u2029]/u.test(text) && shapes.text(text) === text;
}

/** The path as it is printed: parts that may hold more than a name are left out. */
export function showPath(path: ConfigPath): string {
  return formatPath(path.map((part) => (isShowableWord(String(part)) ? part : "...")));
}

/** A word in quotes, or words in its place when it may hold more than a name. */
export function showWord(word: string): string {
  return isShowableWord(word) ? JSON.stringify(word) : "(not shown: it may hold a secret)";
}
