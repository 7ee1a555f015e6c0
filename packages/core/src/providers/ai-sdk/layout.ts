import type { LanguageModelV3Message, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import type { ModelMessage } from "@trunkline/plugin-sdk";
import { isJsonObject } from "../openai-wire.ts";

/**
 * The order of an answer's blocks with what the provider attached to each: signatures of reasoning, ids of items. Texts and calls
 * themselves are in the message; a block only says how many characters, or which call, it stands for.
 */
export type Layout = readonly LayoutBlock[];

export type LayoutBlock =
  | { readonly type: "reasoning"; readonly text: string; readonly meta?: SharedV3ProviderMetadata }
  | { readonly type: "text"; readonly chars: number; readonly meta?: SharedV3ProviderMetadata }
  | { readonly type: "call"; readonly id: string; readonly meta?: SharedV3ProviderMetadata };

type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

/** An answer as the AI SDK wants it back. Empty when there is nothing in it. */
export function toAssistantContent(message: ModelMessage & { role: "assistant" }): AssistantContent {
  const layout = readLayout(message.opaque?.data);
  const calls = message.toolCalls ?? [];
  const chars = layout.reduce((sum, block) => sum + (block.type === "text" ? block.chars : 0), 0);
  // A text that was changed since no longer fits its blocks; then it goes back as one.
  const fits = chars === message.text.length && layout.some(({ type }) => type === "text");
  const content: AssistantContent = [];
  const called = new Set<string>();
  let at = 0;
  const addCall = (id: string, meta: SharedV3ProviderMetadata | undefined): void => {
    const call = calls.find((one) => one.id === id);
    if (call === undefined || called.has(id)) return;
    called.add(id);
    const input: unknown = isJsonObject(call.args) ? JSON.parse(call.args) : {};
    content.push({ type: "tool-call", toolCallId: id, toolName: call.name, input, ...options(meta) });
  };
  for (const block of layout) {
    if (block.type === "reasoning") content.push({ type: "reasoning", text: block.text, ...options(block.meta) });
    else if (block.type === "text" && fits && block.chars > 0) {
      content.push({ type: "text", text: message.text.slice(at, at + block.chars), ...options(block.meta) });
      at += block.chars;
    } else if (block.type === "call") {
      if (!fits && message.text !== "" && !content.some(({ type }) => type === "text")) content.push({ type: "text", text: message.text });
      addCall(block.id, block.meta);
    }
  }
  if (message.text !== "" && !content.some(({ type }) => type === "text")) content.push({ type: "text", text: message.text });
  for (const call of calls) addCall(call.id, undefined);
  // Reasoning alone is no answer, and providers refuse it.
  return content.some(({ type }) => type !== "reasoning") ? content : [];
}

function options(meta: SharedV3ProviderMetadata | undefined): { readonly providerOptions?: SharedV3ProviderMetadata } {
  return meta === undefined ? {} : { providerOptions: meta };
}

/** What an earlier version of this file, or a damaged row, may have left is not trusted. */
function readLayout(data: unknown): Layout {
  return Array.isArray(data) && data.every(isBlock) ? data : [];
}

function isBlock(value: unknown): value is LayoutBlock {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, chars, id, meta } = value as { type?: unknown; text?: unknown; chars?: unknown; id?: unknown; meta?: unknown };
  if (meta !== undefined && (typeof meta !== "object" || meta === null)) return false;
  if (type === "reasoning") return typeof text === "string";
  return type === "text" ? typeof chars === "number" : type === "call" && typeof id === "string";
}
