import type { ModelEvent, ModelUsage } from "@trunkline/plugin-sdk";
import { ANSWER_LIMIT, createAnswerText } from "./answer-text.ts";
import type { WireAnswer, WireChoice, WireMessage } from "./openai-wire.ts";
import { createToolCallSlots } from "./tool-call-slots.ts";

type EndReason = (ModelEvent & { type: "end" })["reason"];

/** An answer that grows piece by piece. */
export interface Answer {
  /** Takes a piece and adds its events to `out`; neighbouring text events become one. */
  add(piece: WireAnswer, out: ModelEvent[]): void;
  /** The finish reason as the server wrote it, once it came. */
  readonly finish: string | undefined;
  /** The limit is reached: nothing more is taken. */
  readonly full: boolean;
  /** Whether any piece looked like an answer. */
  readonly recognised: boolean;
  readonly usage: ModelUsage | undefined;
  /** The tool calls, and the `end`. An answer cut by length has none: half of a plan is not carried out. */
  close(): readonly ModelEvent[];
}

/** The names that servers use for their reasons; anything else that ends an answer is a plain stop. */
const END_REASONS: ReadonlyMap<string, EndReason> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["content_filter", "refusal"],
  ["refusal", "refusal"],
]);

/** Creates an empty answer. `callIdPrefix` begins the ids of tool calls that come without one. */
export function createAnswer(callIdPrefix: string): Answer {
  const slots = createToolCallSlots(callIdPrefix);
  let finish: string | undefined;
  let usage: ModelUsage | undefined;
  let recognised = false;
  let refused = false;
  const text = createAnswerText();
  let overflowed = false;
  const addMessage = (message: WireMessage, out: ModelEvent[]): void => {
    text.push("reasoning", toText(message.reasoning_content) || toText(message.reasoning) || thinkingOf(message.content), out);
    text.push("text", toText(message.content), out);
    if (typeof message.refusal === "string" && message.refusal !== "") {
      refused = true;
      text.push("text", message.refusal, out);
    }
    slots.add(message.tool_calls);
    overflowed ||= slots.size > ANSWER_LIMIT;
  };
  return {
    get finish() {
      return finish;
    },
    get full() {
      return text.full || overflowed;
    },
    get recognised() {
      return recognised;
    },
    get usage() {
      return usage;
    },
    add(piece, out) {
      usage = toUsage(piece.usage) ?? usage;
      if (!Array.isArray(piece.choices)) return;
      recognised = true;
      for (const choice of piece.choices as readonly (WireChoice | null)[]) {
        if (typeof choice !== "object" || choice === null || (choice.index ?? 0) !== 0) continue;
        const message = choice.delta ?? choice.message;
        if (typeof message === "object" && message !== null) addMessage(message, out);
        if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") finish = choice.finish_reason;
      }
    },
    close() {
      const named = text.full || overflowed ? "length" : refused ? "refusal" : (END_REASONS.get((finish ?? "").toLowerCase()) ?? "stop");
      const calls = named === "length" || named === "refusal" ? [] : slots.calls();
      const reason = calls.length > 0 ? "tool-calls" : named === "tool-calls" ? "stop" : named;
      return [
        ...calls.map((call) => ({ type: "tool-call", call }) as const),
        { type: "end", reason, ...(usage === undefined ? {} : { usage }) },
      ];
    },
  };
}

/** The text of a content: a string, or the text parts of a list. */
function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[]).map((part) => (isPart(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function thinkingOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[]).map((part) => (isPart(part) ? toText(part.thinking) : "")).join("");
}

function isPart(value: unknown): value is { readonly text?: unknown; readonly thinking?: unknown } {
  return typeof value === "object" && value !== null;
}

function toUsage(value: unknown): ModelUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    prompt_tokens_details: details,
  } = value as { prompt_tokens?: unknown; completion_tokens?: unknown; prompt_tokens_details?: { cached_tokens?: unknown } | null };
  if (typeof inputTokens !== "number" && typeof outputTokens !== "number") return undefined;
  const cached = toCount(details?.cached_tokens);
  return { inputTokens: toCount(inputTokens), outputTokens: toCount(outputTokens), ...(cached > 0 ? { cachedTokens: cached } : {}) };
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
