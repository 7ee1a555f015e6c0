import type { ModelMessage, ModelUsage, ThinkingLevel } from "./model.ts";
import type { ToolDefinition } from "./tool.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { ConversationRef } from "./message.ts";

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
  readonly tools: readonly ToolDefinition[];
  readonly signal: AbortSignal;
  /** Whether a person can see anything of what was yielded so far. While not, an answer that broke off may begin anew. Absent: they can. */
  readonly isSeen?: () => boolean;
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
  /** The end of one assistant message; a run with tools has several. */
  | { readonly type: "message-end"; readonly text: string }
  | { readonly type: "done"; readonly messages: readonly ModelMessage[]; readonly usage: ModelUsage; readonly model: string };

/** Runs agents. The built-in one is our own step loop; a plugin may bring another. */
export interface AgentRuntime {
  run(run: AgentRun): AsyncIterable<AgentEvent>;
  /** Whether any of these `provider/model` can see images; without it they are shown to every model. */
  seesImages?(models: readonly string[]): boolean;
}
