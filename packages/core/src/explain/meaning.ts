import type { Disposition } from "@trunkline/plugin-sdk";

/** What each outcome means for the person who wrote, in one line. The list is closed: a new outcome does not compile without one. */
const MEANINGS: Readonly<Record<Disposition, string>> = {
  replied: "it was answered",
  silent: "the agent chose to say nothing, or nothing visible was left of its answer",
  command: "a command answered it; no model was asked",
  directive: "it was a setting and was applied; no model was asked",
  denied: "the sender may not do this; nothing of their words is kept unless they may write here",
  pairing: "a stranger asked to be let in; nothing of their words is kept",
  "not-mentioned": "in a group, and the bot was not meant",
  merged: "one turn answered it together with another message; the last decision names it",
  aborted: "somebody said stop, or took it back, before it was answered",
  dropped: "it was not answered; the last decision says who dropped it",
  failed: "no answer could be made; the person got one sentence that says so",
  ignored: "there is nothing to answer in it",
  stale: "it was too old to answer when it arrived",
  superseded: "a later message took its place",
  context: "it was kept for what comes later and asks for no answer",
  unreadable: "the channel could not read it; what arrived is kept for a look",
};

/** One line about an outcome. Pure. */
export function meaningOf(disposition: string): string {
  return MEANINGS[disposition as Disposition] ?? "an outcome that this version does not know"; // a newer version may have written it
}
