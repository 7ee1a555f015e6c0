import type { ConfigProblemCode } from "@trunkline/core";

/** One thing to tell the person who wrote the configuration, with its place in the file. */
export interface ConfigIssue {
  /** A warning does not keep the gateway from starting. */
  readonly severity: "error" | "warning";
  readonly code: ConfigProblemCode;
  /** As it was named to the loader; empty for the built-in configuration. */
  readonly file: string;
  /** From 1; 0 when the file as a whole is meant. */
  readonly line: number;
  /** In UTF-16 units, from 1; 0 when the file as a whole is meant. */
  readonly column: number;
  /** Dotted, `channels.telegram.accounts.main.dmPolicy`; empty when no key is meant. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
}

/**
 * All issues as a person reads them, in the order of the file: `file:line:column  path: message`, and the hint on a line of its own.
 * Warnings say that they are. Ends without a newline; an empty text for no issues.
 */
export function formatIssues(issues: readonly ConfigIssue[]): string {
  return sortIssues(issues).map(formatIssue).join("\n");
}

/** By place in the file; at one place errors first. */
export function sortIssues(issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return issues.toSorted(
    (left, right) =>
      compare(left.file, right.file) ||
      left.line - right.line ||
      left.column - right.column ||
      compare(left.severity, right.severity) ||
      compare(left.path, right.path),
  );
}

function formatIssue(issue: ConfigIssue): string {
  const file = issue.file === "" ? "(built-in configuration)" : issue.file;
  const place = issue.line === 0 ? file : `${file}:${issue.line}:${issue.column}`;
  const path = issue.path === "" ? "" : `${issue.path}: `;
  const kind = issue.severity === "warning" ? "warning: " : "";
  const hint = issue.hint === undefined ? "" : `\n    ${issue.hint}`;
  return `${place}  ${kind}${path}${issue.message}${hint}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
