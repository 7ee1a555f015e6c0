import type { ModelStep, ReplyPayload, ToolResult } from "@trunkline/plugin-sdk";
import type { StepRow } from "../store/steps.ts";

/** One record in the journal of a turn. `n` is its place; `hash` is of what was asked for. */
export type JournalRecord = ModelRecord | ToolRecord | BlockRecord | HeardRecord;

interface Placed {
  readonly n: number;
  readonly hash: string;
}

/** A model step that is over. */
export interface ModelRecord extends Placed {
  readonly kind: "model";
  readonly step: ModelStep;
}

/** A tool call: what it came to; or, without a result, that it was about to run. */
export interface ToolRecord extends Placed {
  readonly kind: "tool";
  readonly result?: ToolResult;
}

/** A block that was committed to the outbox. */
export interface BlockRecord extends Placed {
  readonly kind: "block";
  readonly payload: ReplyPayload;
  /** The message that it is part of, by its number in the turn, from 0. */
  readonly message: number;
  /** It stands beside the answer, as a word about a tool call does, and is no part of the message. */
  readonly aside?: true;
}

/** Words that the agent got beside the message that the turn began with. */
export interface HeardRecord extends Placed {
  readonly kind: "heard";
  /** The model step, from 0, before which it got them; -1: they stand before the prompt. */
  readonly step: number;
  /** The messages that say them; empty for words of our own. */
  readonly ids: readonly string[];
  readonly text: string;
}

/** A record as a row of the store. Pure. */
export function toStepRow(turn: string, record: JournalRecord): StepRow {
  const { n, kind, hash } = record;
  const base = { turn, n, kind, requestHash: hash, state: "done" as const, usageJson: null };
  if (record.kind === "tool") {
    if (record.result === undefined) return { ...base, state: "intended", resultJson: null };
    return { ...base, resultJson: JSON.stringify(record.result) };
  }
  if (record.kind === "block") {
    const { payload, message, aside } = record;
    return { ...base, resultJson: JSON.stringify({ payload, message, aside }) };
  }
  if (record.kind === "heard") {
    const { step, ids, text } = record;
    return { ...base, resultJson: JSON.stringify({ step, ids, text }) };
  }
  const { usage, ...step } = record.step;
  return { ...base, resultJson: JSON.stringify(step), usageJson: usage === undefined ? null : JSON.stringify(usage) };
}

/** A row as a record; undefined when it is none of ours. Pure. */
export function readStepRow({ n, kind, state, requestHash: hash, resultJson, usageJson }: StepRow): JournalRecord | undefined {
  if (kind === "tool" && state === "intended") return { kind, n, hash };
  const result = parse(resultJson);
  const usage = parse(usageJson);
  if (result === undefined || (usageJson !== null && usage === undefined)) return undefined;
  // Written by `toStepRow`; what is looked at here is what tells a damaged row.
  if (kind === "tool") return typeof result["text"] === "string" ? { kind, n, hash, result: result as unknown as ToolResult } : undefined;
  if (kind === "block") {
    const { payload, message, aside } = result;
    if (!isMap(payload) || typeof message !== "number") return undefined;
    return { kind, n, hash, payload, message, ...(aside === true ? { aside } : {}) };
  }
  if (kind === "heard") {
    const { step, ids, text } = result;
    if (typeof step !== "number" || !Array.isArray(ids) || typeof text !== "string") return undefined;
    return { kind, n, hash, step, ids: ids.map(String), text };
  }
  const { message } = result;
  if (kind !== "model" || typeof result["model"] !== "string" || !isMap(message) || typeof message["text"] !== "string") return undefined;
  return { kind, n, hash, step: { ...result, ...(usage === undefined ? {} : { usage }) } as unknown as ModelStep };
}

function parse(json: string | null): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json ?? "null");
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
