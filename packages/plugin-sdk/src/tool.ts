import type { Clock } from "./clock.ts";
import type { ConversationRef } from "./message.ts";
import type { Schema } from "./schema.ts";

/** What a running tool may know and use. */
export interface ToolContext {
  readonly clock: Clock;
  readonly conversation: ConversationRef;
  readonly agent: string;
  readonly signal: AbortSignal;
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
