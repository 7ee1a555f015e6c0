import type { ErrorCode } from "./error-codes.ts";
import type { ConversationRef } from "./message.ts";
import type { ModelMessage, ModelToolCall, ModelUsage, ThinkingLevel } from "./model.ts";
import type { ReplyPayload } from "./payload.ts";
import type { ToolDefinition } from "./tool.ts";

/** One run of an agent over a prepared prompt. */
export interface AgentRun {
  readonly turn: string;
  readonly agent: string;
  readonly conversation: ConversationRef;
  /** `provider/model` candidates in order of preference. */
  readonly models: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
  /** The level that is wanted; absent: the model's own default. */
  readonly thinking?: ThinkingLevel;
  readonly messages: readonly ModelMessage[];
  /** What the model may call; run by `journal.callTool`. */
  readonly tools: readonly ToolDefinition[];
  readonly signal: AbortSignal;
  /** Whether a person can see anything of what was yielded so far. While not, an answer that broke off may begin anew. Absent: they can. */
  readonly isSeen?: () => boolean;
  readonly journal: AgentJournal;
}

/** A model step that is over. */
export interface ModelStep {
  /** `provider/model` that answered. */
  readonly model: string;
  readonly message: ModelMessage & { readonly role: "assistant" };
  readonly usage?: ModelUsage;
}

/** What a tool call came to, as the model gets it; an error is a short text, never an exception. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/**
 * What a turn remembers of itself. A turn whose process died is started again, on the same message; the agent then goes through the same
 * steps, and the journal gives those that were finished, so that nobody is asked twice and no tool runs twice.
 */
export interface AgentJournal {
  /**
   * What people said meanwhile and want heard, for the agent to add before its next model step; empty when nothing. To be called before each step, also
   * before one that is taken from the journal. An agent that does not ask leaves it to the next turn.
   */
  heard(): Promise<readonly ModelMessage[]>;
  /** The next model step that an earlier start finished; undefined when there is none left, and the step has to be made. */
  replay(): ModelStep | undefined;
  /** Keeps a step that was made, before its tools are called. The last step of a turn is kept by the end of the turn itself. */
  record(step: ModelStep): void;
  /**
   * Runs a tool of the run, once over all starts: a call that was finished gives its result again. One that was cut short runs again
   * only when the tool is declared idempotent, else the result says that its outcome is unknown. The same call (id, name and arguments)
   * a second time in one start is another call. Rejects only when the turn is aborted or the store fails.
   */
  callTool(call: ModelToolCall): Promise<ToolResult>;
  /** What earlier starts delivered, as blocks, of the message that is to be said now; empty when nothing. The agent goes on behind it. */
  delivered(): string;
}

/** What a run yields, in order; the last is always `done`. Errors are thrown as GatewayError. */
export type AgentEvent =
  /** A model is about to be asked; one event for each attempt. */
  | { readonly type: "model-selected"; readonly model: string }
  /** An attempt failed, or a model was passed over because its provider cannot be asked now. What follows is another attempt or the error. */
  | { readonly type: "model-failed"; readonly model: string; readonly code: ErrorCode; readonly why: string }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "tool-start"; readonly callId: string; readonly name: string; readonly args: unknown }
  | { readonly type: "tool-end"; readonly callId: string; readonly name: string; readonly text: string; readonly isError: boolean }
  /**
   * People get this at once, as a message of its own, ahead of the rest of the answer. It is part of the message that is being said: what
   * of that message's text was sent in blocks is left out when the rest is sent. A run that was started again may yield the same blocks
   * again: those that people have are passed over.
   */
  | { readonly type: "block"; readonly payload: ReplyPayload }
  /** The end of one assistant message, with its whole text; a run with tools has several. A run that was started again says all of them again. */
  | { readonly type: "message-end"; readonly text: string }
  | { readonly type: "done"; readonly messages: readonly ModelMessage[]; readonly usage: ModelUsage; readonly model: string };

/**
 * Runs agents. The built-in one is our own step loop; a plugin may bring another by providing AGENT_RUNTIME. A scripted one, for a test:
 *
 * ```ts
 * const scripted: AgentRuntime = {
 *   async *run({ journal }) {
 *     yield { type: "block", payload: { text: "One moment." } };
 *     const { text } = await journal.callTool({ id: "c1", name: "lookup", args: '{"text":"x"}' });
 *     yield { type: "message-end", text: `It is ${text}.` };
 *     const messages = [{ role: "assistant", text: `One moment.\n\nIt is ${text}.` }] as const;
 *     yield { type: "done", messages, usage: { inputTokens: 0, outputTokens: 0 }, model: "test/scripted" };
 *   },
 * };
 * ```
 */
export interface AgentRuntime {
  run(run: AgentRun): AsyncIterable<AgentEvent>;
  /** Whether any of these `provider/model` can see images; without it they are shown to every model. */
  seesImages?(models: readonly string[]): boolean;
}
