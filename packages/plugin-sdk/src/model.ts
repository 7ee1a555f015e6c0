import type { GatewayError } from "./errors.ts";

/** A message of the prompt, in our own format; providers translate it to their wire. */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: "assistant"; readonly text: string; readonly toolCalls?: readonly ModelToolCall[]; readonly opaque?: ModelOpaque }
  | { readonly role: "tool"; readonly callId: string; readonly name: string; readonly text: string; readonly isError?: boolean };

/**
 * What a provider wants to see again beside one of its answers: signatures of reasoning, ids of items. Plain JSON that nobody else reads.
 * A provider gets back only what it gave for the same model.
 */
export interface ModelOpaque {
  /** `provider/model` that gave it. */
  readonly model: string;
  readonly data: unknown;
}

/** An image for the model, as base64 with its type. */
export interface ModelImage {
  /** How it is called where the model cannot see it. */
  readonly name?: string;
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

/** What a model can read. */
export const MODEL_INPUTS = ["text", "image", "file"] as const;
export type ModelInput = (typeof MODEL_INPUTS)[number];

/** What is known about a model. What is not known is absent. */
export interface ModelInfo {
  /** Tokens of prompt and answer together. */
  readonly contextWindow?: number;
  /** Tokens of one answer. */
  readonly maxOutput?: number;
  /** The levels that it takes, lowest first; none: it does not think; `binary`: on and off only. */
  readonly thinking?: readonly ThinkingLevel[] | "binary";
  /** The level for agents that name none. */
  readonly defaultThinking?: ThinkingLevel;
  readonly input?: readonly ModelInput[];
  /** US dollars per million tokens. `cached` is for the part of the prompt that the provider had already read. */
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
}

/** One model call. */
export interface ModelRequest {
  /** Model name without the provider prefix (`guide` of `demo/guide`). */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolSpec[];
  /** The level that is wanted; the provider takes the nearest lower one that the model has. */
  readonly thinking: ThinkingLevel;
  /** Provider parameters from the config (`agents.*.model.params`), passed on as they are. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Token counts of one call, as the provider reported them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens came from the provider's cache. */
  readonly cachedTokens?: number;
}

/**
 * What a call streams: any number of text, reasoning and tool-call events, then exactly one `end`.
 * A failed call throws a GatewayError with a MODEL_ code instead of an `end`; an aborted one throws the signal's reason.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "tool-call"; readonly call: ModelToolCall }
  | {
      readonly type: "end";
      readonly reason: "stop" | "length" | "tool-calls" | "refusal";
      readonly usage?: ModelUsage;
      /** Comes back as `opaque.data` of this answer in later calls of the same model. */
      readonly opaque?: unknown;
    };

/** A source of models. `id` is the part before the slash of a model reference. */
export interface ModelProvider {
  readonly id: string;
  /** Streams one call. Abort takes effect within a second, in every state of the call. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
  /** What is known about one of its models; undefined for a model that it knows nothing about. Without it, models read text only. */
  about?(model: string): ModelInfo | undefined;
  /** The error that a call would end with now, because the provider refused earlier ones; undefined when it may be asked. */
  unavailable?(model: string): GatewayError | undefined;
  /** Releases sockets and pools. */
  close?(): Promise<void>;
}
