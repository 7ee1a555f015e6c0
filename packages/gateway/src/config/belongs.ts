import { findNearest } from "@trunkline/core";

/**
 * Whether a file that a configuration names is meant to be part of one: most of its keys are, or nearly are, keys that may stand there.
 * Of a file that is not (a password file, another program's secrets) nothing may be repeated in a message. Where the YAML is broken,
 * the words before colons at the start of lines count as its keys.
 */
export function belongs(text: string, value: unknown, keys: readonly string[]): boolean {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const written = isMap ? Object.keys(value) : [];
  const words = isMap || value === undefined ? [...text.matchAll(/^([\w-]+):(?=\s)/gm)].map(([, key = ""]) => key) : [];
  const found = written.length > 0 ? written : words;
  const meant = found.filter((key) => keys.includes(key) || findNearest(key, keys) !== undefined);
  return meant.length > 0 && meant.length * 2 >= found.length;
}

/** Whether a file holds nothing but blank lines, comments and marks of a document. */
export function isBlank(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:#.*|---|\{\s*\})?\s*$/.test(line));
}
