import type { AgentJournal, AgentRun, Logger, ModelToolCall, StoreTx, ToolContext, ToolResult, ToolSend } from "@trunkline/plugin-sdk";
import { runTool } from "../tools/run-tool.ts";
import type { HeardRecord, ModelRecord, ToolRecord } from "./record.ts";
import type { Records } from "./records.ts";
import { callHash, runHash } from "./request-hash.ts";

/** The model gets this for a call that was cut short and that nobody may repeat unasked. */
export const OUTCOME_UNKNOWN: ToolResult = {
  text: "The gateway stopped while this tool ran. Whether it took effect is unknown, and it was not run again. Find out before you repeat it.",
  isError: true,
};

/** What a call that sent a message came to when nobody lived to hear how it ended: the message and this are stored in one. */
export const SENT: ToolResult = { text: "Sent.", isError: false };

/** Sends for a tool, and stores what `alongside` writes in the same transaction. */
export type SendFromTool = (message: ToolSend, alongside: (tx: StoreTx) => Promise<void>) => Promise<boolean>;

/** What the agent's side of a journal needs of a run: what is asked, and what tools run in. */
export interface JournaledRun extends Pick<AgentRun, "models" | "params" | "thinking" | "messages" | "tools"> {
  readonly context: Omit<ToolContext, "send">;
  readonly logger: Logger;
  /** Absent where tools can send nothing. */
  readonly send?: SendFromTool | undefined;
  /** Takes what people say while the turn runs; absent where nobody can. */
  readonly listen?: Listen | undefined;
}

/**
 * What people said since the last model step and want heard now, as one text; undefined when nothing. `keep` writes it into the journal, in the
 * transaction that takes the messages out of the queue.
 */
export type Listen = (keep: (tx: StoreTx, said: Pick<HeardRecord, "ids" | "text">) => Promise<void>) => Promise<string | undefined>;

function sending({ context, send }: JournaledRun, alongside: (tx: StoreTx) => Promise<void>): ToolContext {
  return send === undefined ? context : { ...context, send: (message) => send(message, alongside) };
}

/** What a start took from earlier ones. */
export interface Taken {
  steps: number;
  tools: number;
  /** Calls that were cut short and not made again. */
  unknown: number;
  /** Whether a step that was taken would be asked for differently now. */
  changed: boolean;
}

interface Parts {
  /** Of earlier starts, in order. */
  readonly steps: readonly ModelRecord[];
  readonly calls: readonly ToolRecord[];
  readonly heard: readonly HeardRecord[];
  readonly delivered: () => string;
  readonly records: Records;
  /** Counted up as things are taken from earlier starts. */
  readonly taken: Taken;
}

/** Creates the agent's side of a journal. */
export function createAgentJournal(run: JournaledRun, { steps, calls, heard, delivered, records, taken }: Parts): AgentJournal {
  const left = [...steps];
  const open = [...calls];
  let at = 0;
  let known: string | undefined;
  const hash = (): string => (known ??= runHash(run));

  const takeCall = (call: ModelToolCall): ToolRecord | undefined => {
    const wanted = callHash(call);
    const at = open.findIndex((record) => record.hash === wanted);
    return at < 0 ? undefined : open.splice(at, 1)[0];
  };

  return {
    delivered,
    async heard() {
      const step = at++;
      const texts = heard.filter((record) => record.step === step).map(({ text }) => text);
      // A step that was made heard what it heard.
      const place = left.length > 0 ? undefined : run.listen;
      const fresh = await place?.((tx, said) => records.write(tx, { kind: "heard", n: records.place(), hash: "", step, ...said }));
      return [...texts, ...(fresh === undefined ? [] : [fresh])].map((text) => ({ role: "user", text }));
    },
    replay() {
      const record = left.shift();
      if (record === undefined) return undefined;
      taken.steps += 1;
      // What was done stands, also under another configuration: doing it again would do it twice.
      taken.changed ||= record.hash !== hash();
      return record.step;
    },
    record: (step) => records.keep({ kind: "model", n: records.place(), hash: hash(), step }),
    async callTool(call) {
      const found = takeCall(call);
      if (found?.result !== undefined) {
        taken.tools += 1;
        return found.result;
      }
      const record: ToolRecord = { kind: "tool", n: found?.n ?? records.place(), hash: callHash(call) };
      const tool = run.tools.find(({ name }) => name === call.name);
      if (found !== undefined && tool?.idempotent !== true) {
        taken.unknown += 1;
        records.keep({ ...record, result: OUTCOME_UNKNOWN });
        return OUTCOME_UNKNOWN;
      }
      const context = sending(run, (tx) => records.write(tx, { ...record, result: SENT }));
      const { text, isError } = await runTool(call, run.tools, context, run.logger, async ({ idempotent }) => {
        if (!idempotent) await records.promise(record);
      });
      const result = { text, isError };
      records.keep({ ...record, result });
      return result;
    },
  };
}
