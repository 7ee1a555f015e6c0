/** What is known of a tool in a run: the trace of the process that began it, how often it ran in the end, and what people were told. */
export interface ToolEvidence {
  readonly tool: { readonly name: string; readonly idempotent: boolean };
  /** What happened until the process died, or until the end. */
  readonly trace: readonly string[];
  /** How often the tool left its mark, over all processes. */
  readonly ran: number;
  /** Whether the agent said that the outcome is unknown; absent for one that says nothing of it. */
  readonly unknown?: boolean;
}

const JOURNAL_COMMITTED = /^commit \(.*\bsteps\b.*\): after$/;

/**
 * Judges how often a tool ran. Once: except that one that was cut short runs again when it is idempotent, and when it is not, it ran or did
 * not run, and the agent is told that nobody knows. Cut short means: it was about to run, durably, and what it came to was not yet.
 */
export function judgeTool({ tool, trace, ran, unknown }: ToolEvidence): readonly string[] {
  const after = trace.indexOf(`tool ${tool.name}: after`);
  const commits = trace.flatMap((name, place) => (JOURNAL_COMMITTED.test(name) ? [place] : []));
  const known = after >= 0 && commits.some((place) => place > after);
  if (tool.idempotent) {
    const most = trace.includes(`tool ${tool.name}: before`) && !known ? 2 : 1;
    return ran >= 1 && ran <= most ? [] : [`the tool ran ${ran} times; at most ${most}`];
  }
  const intended = commits.length > 0;
  const cut = intended && !known;
  const problems = ran > 1 || (ran === 0 && !(cut && after < 0)) ? [`the tool ran ${ran} times${cut ? ", and was cut short" : ""}`] : [];
  return unknown === undefined || cut === unknown
    ? problems
    : [...problems, cut ? "nobody was told that its outcome is unknown" : "its outcome was said to be unknown"];
}
