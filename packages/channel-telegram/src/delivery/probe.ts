import type { ReconcileEvidence, ReconcileResult } from "@trunkline/plugin-sdk";
import { isSupergroupId } from "../conversation.ts";
import type { ApiFailure } from "../api/errors.ts";

/**
 * Finds a lost message of ours without seeing it. The Bot API has no lookup, but an edit that changes nothing tells what stands at
 * an id: asked to give a message exactly the markup that our part has (none), the platform answers "not modified" when it is ours,
 * "can't be edited" when it is somebody else's, and "not found" when there is none in this chat.
 *
 * Which ids are worth a call depends on how they are given out:
 * - Supergroups count for themselves. Ascending from the last known id, since the part is among the first that follow; several
 *   missing in a row mean the end of the chat, and so that the part never arrived.
 * - Private chats and basic groups share one count over all chats of the bot, so that a missing id says nothing. The nearest ids
 *   around the newest known ones come first, new ones before those that are known to be other messages: in a quiet bot the
 *   part is the next id, in a busy one it is a few off the newest, and both are found within a few calls. An empty search is undecided.
 *
 * Source: telegram-bot-api Client.cpp and td MessagesManager, wording only; the probe was not tried on the live platform.
 */

/** Most ids that one search asks about. */
export const PROBE_LIMIT = 50;

/** Ids past the newest known one: in supergroups so many missing in a row are the end, elsewhere the look-ahead. */
export const PROBE_PAST_END = 5;

/** What stands at an id of the chat. */
export type ProbeAnswer = "ours" | "theirs" | "absent";

/** One search: the chat, what the store knows, and how to ask. */
export interface Probe {
  readonly chatId: string;
  readonly evidence: ReconcileEvidence;
  /** Whether the chat has topics: then a seen id of ours may be the answer in another one. */
  readonly topics: boolean;
  /** Asks the platform. Rejects when it cannot be asked at all. */
  ask(messageId: number): Promise<ProbeAnswer>;
  /** Whether the id is another message of ours in this very chat, as far as this process knows. */
  isOther(messageId: number): Promise<boolean>;
}

/** Looks for the part. Rejects with what `ask` rejects with. */
export async function probeForPart(probe: Probe): Promise<ReconcileResult> {
  return isSupergroupId(probe.chatId) ? probeOwnCount(probe) : probeSharedCount(probe);
}

/** What the answer to a probing edit says of the message; undefined when it says nothing. `failure` is undefined for a success. */
export function toProbeAnswer(failure: ApiFailure | undefined): ProbeAnswer | undefined {
  // It was changed, so it had buttons, and no part of ours has any: another program of the same bot sent it.
  if (failure === undefined) return "theirs";
  if (failure.kind !== "refused" || failure.code !== 400) return undefined;
  if (/message is not modified/i.test(failure.description)) return "ours";
  if (/can't be edited/i.test(failure.description)) return "theirs";
  return /message to edit not found|MESSAGE_ID_INVALID/i.test(failure.description) ? "absent" : undefined;
}

/** The ids to ask about in a private chat or basic group, in this order. */
export function sharedCountCandidates({ lastKnownId, newestSeenIds }: ReconcileEvidence): readonly number[] {
  const floor = toId(lastKnownId) ?? 0;
  const seen = new Set(newestSeenIds.map(toId).filter((id) => id !== undefined && id > floor) as number[]);
  const centers = [...(floor > 0 ? [floor] : []), ...seen];
  const ceiling = Math.max(floor, ...seen) + PROBE_PAST_END;
  const distances = new Map<number, number>();
  for (const center of centers) {
    for (let id = Math.max(floor + 1, center - PROBE_LIMIT); id <= Math.min(ceiling, center + PROBE_LIMIT); id += 1) {
      distances.set(id, Math.min(distances.get(id) ?? Number.POSITIVE_INFINITY, Math.abs(id - center)));
    }
  }
  // A seen id may be another chat's: it is asked about after all others, not skipped.
  const known = (id: number): number => (seen.has(id) ? 1 : 0);
  return [...distances]
    .sort(([a, near], [b, far]) => known(a) - known(b) || near - far || b - a)
    .slice(0, PROBE_LIMIT)
    .map(([id]) => id);
}

async function probeSharedCount(probe: Probe): Promise<ReconcileResult> {
  const others = otherTopics(probe);
  for (const id of sharedCountCandidates(probe.evidence)) {
    if ((await probe.ask(id)) === "ours" && !(await probe.isOther(id))) return others.has(id) ? undecidedMatch : sent(id);
  }
  return {
    outcome: "undecided",
    why: "ids of private chats and basic groups run over all chats of the bot, so not finding the message proves nothing",
  };
}

async function probeOwnCount(probe: Probe): Promise<ReconcileResult> {
  const last = toId(probe.evidence.lastKnownId);
  if (last === undefined)
    return { outcome: "undecided", why: "no earlier message of this chat is known, so there is no place to start from" };
  const others = otherTopics(probe);
  let unsure = false;
  let missing = 0;
  for (let id = last + 1; id <= last + PROBE_LIMIT; id += 1) {
    const answer = await probe.ask(id);
    missing = answer === "absent" ? missing + 1 : 0;
    if (answer === "ours" && !(await probe.isOther(id))) {
      if (!others.has(id)) return sent(id);
      unsure = true;
    }
    if (missing >= PROBE_PAST_END) return unsure ? undecidedMatch : { outcome: "absent" };
  }
  return unsure ? undecidedMatch : { outcome: "undecided", why: `the chat went on for more than ${PROBE_LIMIT} messages` };
}

const undecidedMatch: ReconcileResult = { outcome: "undecided", why: "a message of the bot was found that may belong to another topic" };

/** Ids past the last known one that may belong to other topics of the chat. Without topics a seen id there is another chat's number. */
function otherTopics(probe: Probe): ReadonlySet<number | undefined> {
  return new Set(probe.topics ? probe.evidence.newestSeenIds.map(toId) : []);
}

function sent(id: number): ReconcileResult {
  return { outcome: "sent", receipt: { messageId: String(id) } };
}

function toId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}
