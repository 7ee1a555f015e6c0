import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import type { GatewayError, ModelEvent, ModelToolCall, ModelUsage } from "@trunkline/plugin-sdk";
import { ANSWER_LIMIT, createAnswerText } from "../answer-text.ts";
import type { ProviderErrors } from "../provider-errors.ts";
import { toModelError } from "./errors.ts";
import type { LayoutBlock } from "./layout.ts";

type EndReason = (ModelEvent & { type: "end" })["reason"];

/** An answer that grows part by part. */
export interface SdkAnswer {
  /** Takes a part. Gives its events, or the error that it is. */
  take(part: LanguageModelV3StreamPart): readonly ModelEvent[] | GatewayError;
  /** Nothing more is taken: the answer is whole, or as long as answers may be. */
  readonly over: boolean;
  /** The tool calls and the `end`, or the error when the answer is not whole. An answer cut by length has no calls. */
  close(): readonly ModelEvent[] | GatewayError;
}

/** Metadata of a block is bounded: it goes along with every later call. */
const LAYOUT_LIMIT = 256 * 1024;

interface Block {
  readonly type: "reasoning" | "text" | "call";
  readonly id: string;
  text: string;
  meta: SharedV3ProviderMetadata | undefined;
}

/** Creates an empty answer. */
export function createSdkAnswer(errors: ProviderErrors): SdkAnswer {
  const text = createAnswerText();
  const blocks: Block[] = [];
  const calls: ModelToolCall[] = [];
  let finish: { readonly reason: LanguageModelV3FinishReason; readonly usage: LanguageModelV3Usage } | undefined;

  const blockOf = (type: Block["type"], id: string, meta: SharedV3ProviderMetadata | undefined): Block => {
    let block = blocks.findLast((one) => one.type === type && one.id === id);
    if (block === undefined) blocks.push((block = { type, id, text: "", meta: undefined }));
    if (meta !== undefined) block.meta = merge(block.meta, meta);
    return block;
  };
  const grow = (
    type: "reasoning" | "text",
    part: { id: string; delta: string; providerMetadata?: SharedV3ProviderMetadata },
  ): ModelEvent[] => {
    const out: ModelEvent[] = [];
    blockOf(type, part.id, part.providerMetadata).text += text.push(type, part.delta, out);
    return out;
  };
  const addCall = (part: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>): readonly ModelEvent[] | GatewayError => {
    if (part.toolName === "") return errors.unreadable("a tool call without a name");
    // Tools that the provider runs itself are not ours to run.
    if (part.providerExecuted === true) return [];
    blockOf("call", part.toolCallId, part.providerMetadata);
    if (part.input.length > ANSWER_LIMIT) text.count(part.input.length);
    calls.push({ id: part.toolCallId, name: part.toolName, args: part.input.trim() === "" ? "{}" : part.input });
    return [];
  };
  return {
    get over() {
      return text.full || finish !== undefined;
    },
    take(part) {
      switch (part.type) {
        case "text-start":
        case "text-end":
          blockOf("text", part.id, part.providerMetadata);
          return [];
        case "reasoning-start":
        case "reasoning-end":
          blockOf("reasoning", part.id, part.providerMetadata);
          return [];
        case "text-delta":
          return grow("text", part);
        case "reasoning-delta":
          return grow("reasoning", part);
        case "tool-input-delta":
          text.count(part.delta.length);
          return [];
        case "tool-call":
          return addCall(part);
        case "finish":
          finish = { reason: part.finishReason, usage: part.usage };
          return [];
        case "error":
          return toModelError(part.error, errors);
        default:
          return [];
      }
    },
    close() {
      const reason = text.full ? "length" : endReason(finish?.reason);
      if (reason === undefined)
        return finish?.reason.unified === "error" ? errors.unreadable(`an answer that ended in ${nameOf(finish.reason)}`) : errors.cut();
      const kept = reason === "length" || reason === "refusal" ? [] : calls;
      const opaque = toLayout(blocks, kept);
      const usage = toUsage(finish?.usage);
      return [
        ...kept.map((call) => ({ type: "tool-call", call }) as const),
        {
          type: "end",
          reason: kept.length > 0 ? "tool-calls" : reason === "tool-calls" ? "stop" : reason,
          ...(usage === undefined ? {} : { usage }),
          ...(opaque === undefined ? {} : { opaque }),
        },
      ];
    },
  };
}

/** Undefined when the answer has no proper end. The packages begin with `other` and without a raw reason, and leave that when the stream breaks off. */
function endReason(reason: LanguageModelV3FinishReason | undefined): EndReason | undefined {
  if (reason === undefined || reason.unified === "error" || (reason.unified === "other" && reason.raw === undefined)) return undefined;
  if (reason.unified === "content-filter") return "refusal";
  return reason.unified === "length" || reason.unified === "tool-calls" ? reason.unified : "stop";
}

/** A provider's word for how it ended; bounded, since it comes from outside. */
function nameOf(reason: LanguageModelV3FinishReason): string {
  return (reason.raw ?? "an error").slice(0, 60);
}

function merge(before: SharedV3ProviderMetadata | undefined, more: SharedV3ProviderMetadata): SharedV3ProviderMetadata {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, { ...before?.[name], ...more[name] }]));
}

/** The blocks as they go back; undefined when nothing is attached to any of them, or far too much. */
function toLayout(blocks: readonly Block[], calls: readonly ModelToolCall[]): readonly LayoutBlock[] | undefined {
  if (blocks.every(({ meta }) => meta === undefined)) return undefined;
  const layout = blocks
    .filter(({ type, id }) => type !== "call" || calls.some((call) => call.id === id))
    .map(({ type, id, text, meta }): LayoutBlock => {
      const attached = meta === undefined ? {} : { meta };
      if (type === "reasoning") return { type, text, ...attached };
      return type === "text" ? { type, chars: text.length, ...attached } : { type, id, ...attached };
    });
  return JSON.stringify(layout).length > LAYOUT_LIMIT ? undefined : layout;
}

function toUsage(usage: LanguageModelV3Usage | undefined): ModelUsage | undefined {
  const input = usage?.inputTokens.total;
  const output = usage?.outputTokens.total;
  if (input === undefined && output === undefined) return undefined;
  const cached = toCount(usage?.inputTokens.cacheRead);
  return { inputTokens: toCount(input), outputTokens: toCount(output), ...(cached > 0 ? { cachedTokens: cached } : {}) };
}

function toCount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
