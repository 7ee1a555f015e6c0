import type { InboundMessage, Store } from "@trunkline/plugin-sdk";
import type { FakeChannel } from "../../../packages/core/src/fake-channel.ts";
import { findInboundById, type InboxRow, openInboundOfSession } from "../../../packages/core/src/store/inbox.ts";
import { openPartConversations } from "../../../packages/core/src/store/outbox.ts";

/** A message that the platform told, and what became of it. */
export interface Told {
  readonly message: InboundMessage;
  /** Stands in its words, and in the answer to it; absent for what is no talk. */
  readonly token: string | undefined;
  /** Of its inbox row, once it was acknowledged. */
  id: string | undefined;
  /** It was told before. */
  readonly again: boolean;
}

const sessionOf = (place: string): string => `agent:aria:fake:main:dm:${place}`;

/** Whether nothing is open in these conversations, neither a message nor a part. */
export async function isOver(store: Store, places: readonly string[]): Promise<boolean> {
  return store.read(async (tx) => {
    for (const place of places) if ((await openInboundOfSession(tx, { sessionKey: sessionOf(place), limit: 1 })).length > 0) return false;
    const open = await openPartConversations(tx);
    return !open.some((conv) => places.includes(conv.split(":")[2] ?? ""));
  });
}

/** How many messages that came before a stop are still open. */
export async function openBefore(store: Store, { id, message }: Told): Promise<number> {
  const sessionKey = sessionOf(message.conversation.id);
  const open = await store.read((tx) => openInboundOfSession(tx, { sessionKey, limit: 100 }));
  return open.filter((row) => row.id < id!).length;
}

/** Outcomes of a message that nobody gets an answer to. */
const UNANSWERED = ["aborted", "superseded", "dropped", "failed"];

/** What does not add up when all is over: a message that is lost, open, answered twice or not at all, or out of order. */
export async function findFault(store: Store, told: readonly Told[], platform: FakeChannel): Promise<string | undefined> {
  const lost = told.find(({ id }) => id === undefined);
  if (lost) return `${lost.message.id} was never acknowledged`;
  const rows = await store.read(async (tx) => {
    const found = new Map<string, InboxRow | undefined>();
    for (const { id } of told) found.set(id!, await findInboundById(tx, id!));
    return found;
  });
  if (rows.size !== told.length) return `${told.length} messages became ${rows.size} rows`;
  const answers = platform.visible.flatMap((part) =>
    [...(part.text?.plain ?? "").matchAll(/A\[([^\]]*)\]/g)].map((match) => match[1]!.split(" ")),
  );
  const answered = answers.flat();
  for (const one of told) {
    const row = rows.get(one.id!);
    const fault = row === undefined ? "it has no row" : faultOf(row, one, answered, rows);
    if (fault !== undefined) return `${one.message.id} (${one.id}): ${fault}`;
  }
  return outOfOrder(told, answered);
}

function faultOf(
  row: InboxRow,
  { message, token }: Told,
  answered: readonly string[],
  rows: ReadonlyMap<string, InboxRow | undefined>,
): string | undefined {
  if (row.state !== "done" || row.disposition === null) return "it has no outcome";
  if (message.kind !== "message")
    return ["context", "merged"].includes(row.disposition) ? undefined : `a ${message.kind} ended as ${row.disposition}`;
  if (token === undefined) {
    // A command during which the process died three times is given up, with a sentence.
    const given = row.disposition === "failed" && row.decisionsJson.includes('"code":"attempts"');
    return given || ["command", "aborted", "dropped"].includes(row.disposition) ? undefined : `a command ended as ${row.disposition}`;
  }
  const times = answered.filter((one) => one === token).length;
  const head = row.disposition === "merged" ? rows.get((row.turn ?? "").replace("tn_", "in_")) : row;
  if (head === undefined) return "it ended as merged, and no message is known that it was answered with";
  const wanted = head.disposition === "replied" ? 1 : 0;
  if (head.disposition !== "replied" && !UNANSWERED.includes(head.disposition ?? "")) return `it ended as ${head.disposition}`;
  // A part during whose sending the process died three times is put aside, and the person is told so.
  if (head.delivery === "dead" && times === 0) return undefined;
  return times === wanted ? undefined : `it ended as ${row.disposition}, and was answered ${times} times`;
}

/** In each conversation answers come in the order of what they answer. */
function outOfOrder(told: readonly Told[], answered: readonly string[]): string | undefined {
  const places = new Map(told.map(({ token, message }, at) => [token, { at, place: message.conversation.id }]));
  const last = new Map<string, number>();
  for (const token of answered) {
    const { at, place } = places.get(token) ?? { at: -1, place: "" };
    if (at < (last.get(place) ?? -1)) return `the answer to ${token} came behind that to a later message`;
    last.set(place, at);
  }
  return undefined;
}
