import type { LanguageModelV3CallOptions, LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ModelMessage, ModelRequest } from "@trunkline/plugin-sdk";
import { toAssistantContent } from "./layout.ts";

/** The conversation as the AI SDK wants it. Results of several calls of one answer become one message. */
export function toPrompt(messages: readonly ModelMessage[]): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Message[] = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role === "system") prompt.push({ role: "system", content: message.text });
    else if (message.role === "user") prompt.push({ role: "user", content: toUserContent(message) });
    else if (message.role === "assistant") {
      const content = toAssistantContent(message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    } else if (last?.role === "tool") last.content.push(toToolResult(message));
    else prompt.push({ role: "tool", content: [toToolResult(message)] });
  }
  return prompt;
}

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];
type ToolResult = Extract<LanguageModelV3Message, { role: "tool" }>["content"][number];

function toUserContent(message: ModelMessage & { role: "user" }): UserContent {
  const images = (message.images ?? []).map(({ mimeType, base64 }) => ({ type: "file" as const, mediaType: mimeType, data: base64 }));
  return message.text === "" && images.length > 0 ? images : [{ type: "text", text: message.text }, ...images];
}

function toToolResult(message: ModelMessage & { role: "tool" }): ToolResult {
  const type = message.isError === true ? "error-text" : "text";
  return { type: "tool-result", toolCallId: message.callId, toolName: message.name, output: { type, value: message.text } };
}

/** The tools as the AI SDK wants them. */
export function toTools(tools: ModelRequest["tools"]): Pick<LanguageModelV3CallOptions, "tools"> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({ type: "function", name, description, inputSchema: { ...parameters } })),
  };
}
