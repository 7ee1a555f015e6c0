import type { Decision } from "@trunkline/plugin-sdk";
import type { QueueSettings } from "./queue-settings.ts";

/** What becomes of a message that comes while its session is busy. */
export interface QueueVerdict {
  readonly decision: Decision;
  readonly dropped: boolean;
  /** The running turn is to give way to it. */
  readonly interrupts: boolean;
}

export interface QueueInput {
  readonly settings: QueueSettings;
  /** It is answered by itself: a command. */
  readonly own: boolean;
  /** It is another piece of one that was heard before. */
  readonly goesOn: boolean;
  /** What runs is a command. */
  readonly behindCommand: boolean;
}

const WHY = {
  collect: "a turn of the session ran: it waits, and is answered together with what else waits",
  followup: "a turn of the session ran: it waits for a turn of its own",
  steer: "a turn of the session ran: it joins it at the next model step, or waits for the next turn",
  interrupt: "a turn of the session ran: it is stopped for this message",
  "drop-new": "a turn of the session ran, and messages that come meanwhile are dropped",
} as const;

/** Decides by the queue mode. Commands wait in every mode; pieces of a message go where its first one went. Pure. */
export function decideQueue({ settings, own, goesOn, behindCommand }: QueueInput): QueueVerdict {
  const { mode, path } = settings;
  const by = path === undefined ? {} : { path };
  if (own) return verdict({ stage: "queue", code: "own-turn", why: "a turn of the session ran: a command waits for a turn of its own" });
  if (goesOn) return verdict({ stage: "queue", code: "piece", why: "it is another piece of the message before it" });
  const decision = { stage: "queue", code: mode, why: WHY[mode], ...by };
  // A command is over in a moment, and stopping it would undo what somebody asked for.
  if (behindCommand) return verdict({ ...decision, why: "a command of the session ran: it waits" });
  return { decision, dropped: mode === "drop-new", interrupts: mode === "interrupt" };
}

/** That more of a message is waited for before it is answered, where it is. `piecesMs`: other pieces of it; `debounceMs`: more words of its sender. Pure. */
export function decideQuiet(
  { piecesMs, debounceMs }: { readonly piecesMs: number; readonly debounceMs: number },
  path: string,
): readonly Decision[] {
  if (Math.max(piecesMs, debounceMs) === 0) return [];
  if (piecesMs >= debounceMs) {
    return [{ stage: "queue", code: "pieces", why: `more pieces of it may come: they are waited for, ${piecesMs} ms` }];
  }
  return [{ stage: "queue", code: "debounce", why: `more of what the sender says is waited for, ${debounceMs} ms`, path }];
}

function verdict(decision: Decision): QueueVerdict {
  return { decision, dropped: false, interrupts: false };
}
