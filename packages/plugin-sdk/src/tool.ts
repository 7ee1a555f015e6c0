import type { Clock } from "./clock.ts";
import type { ConversationRef } from "./message.ts";
import type { Schema } from "./schema.ts";

/** A message that a tool sends. What is left out is where the turn is: its channel, account, conversation and thread. */
export interface ToolSend {
  readonly channel?: string;
  readonly account?: string;
  /** A target in the words of the channel. */
  readonly to?: string;
  readonly threadId?: string;
  readonly replyToId?: string;
  /** Markdown. */
  readonly text?: string;
  /** Paths in the agent's workspace, or addresses. */
  readonly mediaUrls?: readonly string[];
}

/** What a running tool may know and use. */
export interface ToolContext {
  readonly clock: Clock;
  readonly conversation: ConversationRef;
  readonly agent: string;
  readonly signal: AbortSignal;
  /**
   * Sends a message, in order with the turn's own. It is stored together with the end of this tool call, so a call that sends and does nothing
   * else is never repeated after a crash, nor lost. Resolves when it is stored, with whether anything visible was in it. Rejects with
   * TOOL_TARGET_REFUSED for a place that the agent may not write to. Absent where nothing can be sent.
   */
  send?(message: ToolSend): Promise<boolean>;
}

/** Something an agent can do. One file each. */
export interface ToolDefinition<Args = unknown> {
  /** [a-z][a-z0-9_]*, at most 64 characters. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly parameters: Schema<Args>;
  /**
   * Running it twice does no harm. Only such a tool is run again when a crash hid its result. That another one is about to run is
   * written to the disk first, so a tool that only looks something up should say that it is idempotent.
   */
  readonly idempotent: boolean;
  /** The text for the model; a thrown error becomes a short error for the model. */
  run(args: Args, context: ToolContext): Promise<string>;
}

/** Types a tool: `run` gets what the schema promises. */
export function defineTool<Args>(tool: ToolDefinition<Args>): ToolDefinition<Args> {
  return tool;
}
