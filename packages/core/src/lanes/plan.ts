import { conversationKey, type InboundMessage } from "@trunkline/plugin-sdk";
import { turnIdOf } from "../reply/rows.ts";
import type { InboxRow } from "../store/inbox.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** An open message, and what is known about it. */
export interface Waiting {
  readonly row: InboxRow;
  readonly message: InboundMessage;
  /** It is answered by itself: a command. */
  readonly own: boolean;
  /** It is another piece of the message before it. */
  readonly goesOn: boolean;
  /** How long another piece of it may come, ms from when it came. */
  readonly piecesMs: number;
  /** How long to wait for more words of its sender, ms from when it came. */
  readonly debounceMs: number;
}

export interface PlanInput {
  /** The open messages of a session, oldest first. */
  readonly waiting: readonly Waiting[];
  /** Whether the turn of the oldest was started before. */
  readonly begun: boolean;
  readonly settings: QueueSettings;
  /** Whether the agent has just answered: then what waits came meanwhile. */
  readonly afterTalk: boolean;
  /** Ms UTC. */
  readonly now: number;
}

/** What a lane does next. */
export type LaneStep =
  | { readonly do: "rest" }
  /** More may come that belongs to what waits. */
  | { readonly do: "wait"; readonly row: InboxRow; readonly ms: number }
  | {
      readonly do: "run";
      /** Answered by one turn, that of the first. */
      readonly rows: readonly [InboxRow, ...InboxRow[]];
      /** Left out because too many wait. */
      readonly overflow: readonly InboxRow[];
      /** Whether something newer waits that takes its place. */
      readonly superseded: boolean;
      /** Whether anything else waits. */
      readonly more: boolean;
    };

/** Nobody's message waits longer for more than this many times the silence that is asked for. */
const LONGEST_WAIT = 5;

/**
 * Decides what a lane does next. What was begun goes on with the very same messages. A command is answered by itself and ends what is
 * collected before it, so that order holds. Only messages of one conversation become one prompt. Pure.
 */
export function planLane({ waiting, begun, settings, afterTalk, now }: PlanInput): LaneStep {
  const head = waiting[0];
  if (head === undefined) return { do: "rest" };
  if (begun) return resumed(head, waiting, settings);
  if (head.own) return run([head], [], waiting.length > 1);
  const { kept, overflow } = trim(waiting, settings);
  const block = blockOf(kept);
  const batch = settings.mode === "followup" || settings.mode === "drop-new" ? block.slice(0, saidAsOne(block)) : block;
  const isLast = kept.length === batch.length;
  const wait = isLast ? quietFor(batch, settings, afterTalk, now) : 0;
  if (wait > 0) return { do: "wait", row: head.row, ms: wait };
  return run(batch, overflow, !isLast);
}

function resumed(head: Waiting, waiting: readonly Waiting[], { mode }: QueueSettings): LaneStep {
  const turn = turnIdOf(head.row.id);
  const own = waiting.filter(({ row }) => row === head.row || row.turn === turn);
  const later = waiting.filter((one) => !own.includes(one));
  const superseded = mode === "interrupt" && !head.own && later.some((one) => !one.own);
  return { ...run(own, [], later.length > 0), superseded };
}

function run(batch: readonly Waiting[], overflow: readonly Waiting[], more: boolean): LaneStep & { readonly do: "run" } {
  const [first, ...rest] = batch.map(({ row }) => row);
  return { do: "run", rows: [first!, ...rest], overflow: overflow.map(({ row }) => row), superseded: false, more };
}

/** What stays of the queue when too many wait. Commands are never left out. */
function trim(waiting: readonly Waiting[], { cap, drop }: QueueSettings) {
  const talk = waiting.filter(({ own }) => !own);
  if (talk.length <= cap) return { kept: waiting, overflow: [] };
  const left = drop === "new" ? talk.slice(cap) : talk.slice(0, talk.length - cap);
  // Of what stands before a command one stays, so that the agent is asked, and told of the others, before the command is answered.
  const front = waiting.findIndex(({ own }) => own) - 1;
  const overflow = left.filter((one) => one !== waiting[front]);
  return { kept: waiting.filter((one) => !overflow.includes(one)), overflow };
}

/** The messages at the front that may stand in one prompt. Never empty unless a command is first. */
function blockOf(waiting: readonly Waiting[]): readonly Waiting[] {
  const first = waiting[0]!;
  const place = conversationKey(first.message.conversation);
  const end = waiting.findIndex(({ own, message }, at) => at > 0 && (own || conversationKey(message.conversation) !== place));
  return waiting.slice(0, end === -1 ? waiting.length : end);
}

/** How many at the front are one person's, said in one go. */
function saidAsOne(block: readonly Waiting[]): number {
  const end = block.findIndex((next, at) => {
    const previous = block[at - 1];
    if (previous === undefined || next.goesOn) return false;
    const sameSender = next.message.sender.id === previous.message.sender.id;
    return !sameSender || Math.max(0, next.row.receivedAt - previous.row.receivedAt) >= previous.debounceMs;
  });
  return end === -1 ? block.length : end;
}

/** How long to wait, ms, before what is at the front is answered; by the wall clock that the store keeps, and never longer than asked for. */
function quietFor(batch: readonly Waiting[], { mode, debounceMs }: QueueSettings, afterTalk: boolean, now: number): number {
  const first = batch[0]!;
  const last = batch.at(-1)!;
  const collects = (mode === "collect" || mode === "steer") && last.message.media.length === 0;
  const quiet = Math.max(last.piecesMs, last.debounceMs, collects && (afterTalk || batch.length > 1) ? debounceMs : 0);
  const due = Math.min(last.row.receivedAt + quiet, first.row.receivedAt + LONGEST_WAIT * quiet);
  return Math.min(Math.max(0, due - now), quiet);
}
