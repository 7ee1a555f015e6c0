/** A message of the prompt, in our own format; providers translate it to their wire. */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls?: readonly ModelToolCall[]; readonly opaque?: unknown }
  | { readonly role: "tool"; readonly callId: string; readonly name: string; readonly text: string; readonly isError?: boolean };

/** An image for the model, as base64 with its type. */
export interface ModelImage {
  readonly mimeType: string;
  readonly base64: string;
}

/** A tool call that the model asked for. `args` is the raw JSON text, parsed and validated by the step loop. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** A tool as the model sees it. */
export interface ModelToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Thinking levels, lowest first. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** One model call. */
export interface ModelRequest {
  /** Model name without the provider prefix (`guide` of `demo/guide`). */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolSpec[];
  readonly thinking: ThinkingLevel;
  /** Provider parameters from the config (`agents.*.model.params`), passed on as they are. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Token counts of one call, as the provider reported them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * What a call streams: any number of text, reasoning and tool-call events, then exactly one `end`.
 * A failed call throws a GatewayError with a MODEL_ code instead of an `end`; an aborted one throws the signal's reason.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "tool-call"; readonly call: ModelToolCall }
  | { readonly type: "end"; readonly reason: "stop" | "length" | "tool-calls" | "refusal"; readonly usage?: ModelUsage };

/** A source of models. `id` is the part before the slash of a model reference. */
export interface ModelProvider {
  readonly id: string;
  /** Streams one call. Abort takes effect within a second, in every state of the call. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
  /** Releases sockets and pools. */
  close?(): Promise<void>;
}
