/** What a run came to. */
export interface Verdict {
  /** What must not be; empty when the promise was kept. */
  readonly problems: readonly string[];
  /** Answers that can be seen once more than they should, as the account's policy allows. */
  readonly doubled: number;
  /** Answers that cannot be seen, as the account's policy allows. */
  readonly missing: number;
}

/** What the judge gets to know: what a person sees, and what nobody could find out. */
export interface Evidence {
  /** In order; for each answer the words that it may have. */
  readonly expected: readonly (readonly string[])[];
  /** Words that may be seen or not: what was on the screen of an answer that was stopped. */
  readonly mayStay?: readonly string[];
  readonly seen: readonly string[];
  /** Parts of which nobody could know whether they arrived, by what the account's policy did with them. */
  readonly undecided: { readonly resent: number; readonly held: number };
}

/**
 * Judges what a person sees: every answer once, in order. Where nobody could find out what became of a part, the policy decides, and
 * one part may be there twice (`resend`) or not at all (`hold`).
 */
export function judgeAnswers({ expected, mayStay = [], seen, undecided }: Evidence): Verdict {
  const problems: string[] = [];
  const first = [...new Set(seen)];
  const unexpected = first.filter((words) => ![...expected, mayStay].some((allowed) => allowed.includes(words)));
  if (unexpected.length > 0) problems.push(`nobody expected ${quoted(unexpected)}`);
  const places = first.map((words) => expected.findIndex((allowed) => allowed.includes(words))).filter((place) => place >= 0);
  if (places.some((place, index) => index > 0 && place < places[index - 1]!)) problems.push(`out of order: ${quoted(first)}`);
  if (new Set(places).size < places.length) problems.push(`one answer in two versions: ${quoted(first)}`);
  const doubled = seen.length - first.length;
  if (doubled > undecided.resent || doubled > 1) problems.push(`seen twice, undecided ${undecided.resent}: ${quoted(seen)}`);
  const missing = expected.length - new Set(places).size;
  if (missing > undecided.held || missing > 1) problems.push(`missing, held ${undecided.held}: only ${quoted(seen)} can be seen`);
  return { problems, doubled, missing };
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)).join(", ")}]`;
}
