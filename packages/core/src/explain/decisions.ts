import type { Decision } from "@trunkline/plugin-sdk";

/** Decisions for people, in order: what was decided and why, and below it the line of the configuration. Pure. */
export function formatDecisions(decisions: readonly Decision[]): readonly string[] {
  return decisions.flatMap(({ stage, code, why, path, at }) => [
    `  ${stage.padEnd(9)} ${code}: ${why}`,
    ...(path === undefined ? [] : [`            ${at === undefined ? "" : `${at}  `}${path}`]),
  ]);
}
