import { formatDecisions } from "./decisions.ts";
import type { DryRun } from "./dry-run.ts";
import { meaningOf } from "./meaning.ts";

/** Everything about a dry run: what would happen, and each decision with its line. Pure. */
export function formatDryRun(run: DryRun): string {
  return [
    ...headOf(run),
    `outcome   ${run.outcome}`,
    `          ${meaningOf(run.outcome)}`,
    "",
    "decisions",
    ...formatDecisions(run.decisions),
    "",
    NOTHING_HAPPENED,
  ].join("\n");
}

/** Who may talk and use commands here. Pure. */
export function formatAccess(run: DryRun): string {
  const shown = run.decisions.filter(({ stage }) => stage === "access" || stage === "pairing" || stage === "gate" || stage === "sender");
  return [...headOf(run), `access    ${run.allowed ? "allowed" : "denied"}`, "", ...formatDecisions([...shown, run.authority])].join("\n");
}

/** Which agent answers, and in which session. Pure. */
export function formatRoute({ route }: DryRun): string {
  return [`agent     ${route.agent}`, `session   ${route.sessionKey}`, "", ...formatDecisions([route.decision])].join("\n");
}

const NOTHING_HAPPENED = "Nothing was sent, stored or asked: this is what would happen.";

function headOf(run: DryRun): readonly string[] {
  return [
    `conversation  ${run.conversation.replace(/:$/, "")}`,
    `sender        ${run.sender === "" ? "somebody who is on no list" : run.sender}`,
  ];
}
