import { chmod } from "node:fs/promises";
import { GatewayError } from "@trunkline/plugin-sdk";
import type { ConfigIssue } from "../../config/issue.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type Finding, findingOf } from "./finding.ts";

/** Errors of the configuration, and secrets in it that others can read. Other warnings are the business of `trunkline check`. */
export function configFindings(loaded: LoadedConfig): readonly Finding[] {
  const errors = loaded.ok ? [] : loaded.issues.map(issueFinding);
  const open = loaded.warnings.map(fileOpenToOthers).filter((file) => file !== undefined);
  return [...errors, ...[...new Set(open)].map(openFinding)];
}

function issueFinding({ code, file, line, column, path, message, hint }: ConfigIssue): Finding {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const cause = [place, ...(path === "" ? [] : [path]), message].join(": ");
  // Warnings are not among the errors.
  const error = new GatewayError(code === "CONFIG_WARNING" ? "CONFIG_INVALID" : code, hint === undefined ? {} : { hint });
  return { code: error.code, cause, fix: error.hint };
}

/** The file that a warning wants to be closed, from the command that it gives. */
function fileOpenToOthers({ hint }: ConfigIssue): string | undefined {
  return /^Run: chmod 600 ([^;]+)/.exec(hint ?? "")?.[1];
}

function openFinding(file: string): Finding {
  return findingOf(new GatewayError("CONFIG_READABLE_BY_OTHERS", { detail: { file } }), { repair: () => chmod(file, 0o600) });
}
