import type { AgentJournal, Decision, ReplyPayload, StoreTx } from "@trunkline/plugin-sdk";
import { createAgentJournal, type JournaledRun, type Taken } from "./agent-journal.ts";
import type { BlockRecord, HeardRecord, ModelRecord, ToolRecord } from "./record.ts";
import { type Past, Records, type RecordsDeps } from "./records.ts";

/** What a turn did so far, over all its starts. */
export interface TurnJournal {
  /** Whether an earlier start left something that cannot be read; then the turn cannot go on. */
  readonly unreadable: boolean;
  /** Parts of the answer that earlier starts committed. */
  readonly partsBefore: number;
  /** What earlier starts took out of the queue while they ran, by message id. */
  readonly heardBefore: readonly string[];
  /** Words of our own that stand before the prompt. */
  readonly preface: readonly string[];
  /** The agent's side of it. */
  forAgent(run: JournaledRun): AgentJournal;
  /** Whether earlier starts delivered a part of the answer itself. */
  readonly spokeBefore: boolean;
  /** The place of a block in the journal; undefined when an earlier start delivered the very same, once for each of them. */
  takeBlock(payload: ReplyPayload, of?: BlockOf): number | undefined;
  /** Keeps that a block is delivered, in the transaction that adds its parts. */
  writeBlock(tx: StoreTx, place: number): Promise<void>;
  /** The texts of the blocks of the message that is being said, in order. */
  blocksOfMessage(): readonly string[];
  /** The message that was being said is over; what comes belongs to the next one. Gives its number. */
  endMessage(): number;
  /** What was taken from the journal, for the record; undefined when nothing was. */
  resumption(): Decision | undefined;
  /** Forgets everything, in the last transaction of the turn. */
  erase(tx: StoreTx): Promise<void>;
}

/** What a block is part of; of the message that is being said unless this says otherwise. */
export interface BlockOf {
  /** Number of an earlier message of the turn. */
  readonly message?: number;
  /** It stands beside the answer. */
  readonly aside?: true;
}

/** Opens the journal of a turn. `past` is what `readPast` gave, or NO_PAST. */
export function createTurnJournal(turn: string, past: Past, deps: RecordsDeps): TurnJournal {
  const records = new Records(turn, past, deps);
  const found = past.records ?? [];
  const delivered = found.filter((record): record is BlockRecord => record.kind === "block");
  const heard = found.filter((record): record is HeardRecord => record.kind === "heard");
  const repeatable = [...delivered];
  const blocks = [...delivered];
  const taken = { steps: 0, tools: 0, unknown: 0, changed: false };
  let message = 0;
  const textsOf = (some: readonly BlockRecord[]): readonly string[] =>
    some
      .filter((block) => block.message === message && block.aside !== true)
      .flatMap(({ payload: { text } }) => (text === undefined ? [] : [text]));
  return {
    unreadable: past.records === undefined,
    partsBefore: past.parts,
    heardBefore: heard.flatMap(({ ids }) => ids),
    preface: heard.filter(({ step }) => step < 0).map(({ text }) => text),
    spokeBefore: delivered.some(({ aside }) => aside !== true),
    forAgent: (run) =>
      createAgentJournal(run, {
        steps: found.filter((record): record is ModelRecord => record.kind === "model"),
        calls: found.filter((record): record is ToolRecord => record.kind === "tool"),
        heard,
        delivered: () => textsOf(delivered).join("\n\n"),
        records,
        taken,
      }),
    takeBlock(payload, of = {}) {
      const json = JSON.stringify(payload);
      const repeated = repeatable.findIndex((block) => JSON.stringify(block.payload) === json);
      if (repeated >= 0) {
        repeatable.splice(repeated, 1);
        return undefined;
      }
      const n = records.place();
      blocks.push({ kind: "block", n, hash: "", payload, message, ...of });
      return n;
    },
    async writeBlock(tx, place) {
      const block = blocks.find(({ n }) => n === place);
      if (block) await records.write(tx, block);
    },
    blocksOfMessage: () => textsOf(blocks),
    endMessage: () => (message += 1) - 1,
    resumption: () => (found.length === heard.length ? undefined : describe(taken, delivered.length)),
    erase: (tx) => records.erase(tx),
  };
}

function describe({ steps, tools, unknown, changed }: Taken, blocks: number): Decision {
  const parts = [
    `model steps: ${steps}`,
    `tool results: ${tools}`,
    ...(unknown > 0 ? [`tool calls with unknown outcome: ${unknown}`] : []),
    ...(blocks > 0 ? [`blocks that were delivered: ${blocks}`] : []),
  ];
  const note = changed ? "; its prompt or configuration has changed since, what was done stands" : "";
  return { stage: "turn", code: "resumed", why: `taken from an earlier start (${parts.join(", ")})${note}` };
}
