import type { ModelMessage, ModelRequest, ThinkingLevel } from "@trunkline/plugin-sdk";

/**
 * One streamed piece, or a whole answer that was not streamed. Everything is optional and untyped:
 * servers that call themselves compatible differ, and nothing they send is trusted.
 * Source: platform.openai.com/docs/api-reference/chat, and what OpenRouter, Ollama, vLLM, llama.cpp and Mistral add.
 */
export interface WireAnswer {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

export interface WireChoice {
  readonly index?: unknown;
  /** The piece of a streamed answer. */
  readonly delta?: WireMessage | null;
  /** The whole answer when it is not streamed; some servers also stream it under this name. */
  readonly message?: WireMessage | null;
  readonly finish_reason?: unknown;
}

export interface WireMessage {
  /** Text, or parts like `{ type: "text", text }` and `{ type: "thinking", thinking }` (Mistral). */
  readonly content?: unknown;
  /** DeepSeek, vLLM and others. */
  readonly reasoning_content?: unknown;
  /** OpenRouter, Ollama and newer vLLM. */
  readonly reasoning?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
}

export interface WireToolCall {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/**
 * The JSON body of a call. `params` of the agent go along as they are and win over `stream_options` (for a server that does not know
 * it) and over what is said about thinking, never over the conversation itself. `thinking` undefined: nothing is said, since servers
 * refuse a parameter that the model does not know.
 */
export function toWireBody(request: ModelRequest, thinking: WireThinking = {}): string {
  const body = {
    stream_options: { include_usage: true },
    ...thinking,
    ...request.params,
    model: request.model,
    messages: request.messages.flatMap(toWireMessage),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function",
            function: { name, description, parameters },
          })),
        }),
    stream: true,
  };
  return replaceLoneSurrogates(JSON.stringify(body));
}

/** How a server is told about thinking. */
export type WireThinking =
  | { readonly reasoning_effort?: string }
  | { readonly chat_template_kwargs: { readonly enable_thinking: boolean } };

/**
 * The parameters for a level. A word for models with levels; a switch of the chat template for those with on and off only, as vLLM,
 * SGLang and llama.cpp have it for Qwen and its like (docs.vllm.ai, Reasoning Outputs).
 */
export function toWireThinking(level: ThinkingLevel | undefined, binary: boolean): WireThinking {
  if (level === undefined) return {};
  if (binary) return { chat_template_kwargs: { enable_thinking: level !== "off" } };
  return { reasoning_effort: level === "off" ? "none" : level };
}

function toWireMessage(message: ModelMessage): readonly object[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.text }];
    case "user":
      return [{ role: "user", content: toUserContent(message) }];
    case "assistant":
      return toAssistantMessage(message);
    case "tool":
      return [{ role: "tool", tool_call_id: message.callId, content: message.text }];
  }
}

function toUserContent(message: ModelMessage & { role: "user" }): unknown {
  if (message.images === undefined || message.images.length === 0) return message.text;
  const images = message.images.map(({ mimeType, base64 }) => ({
    type: "image_url",
    image_url: { url: `data:${mimeType};base64,${base64}` },
  }));
  return message.text === "" ? images : [{ type: "text", text: message.text }, ...images];
}

/** An answer with neither text nor tool calls is left out: some servers refuse the whole conversation because of it. */
function toAssistantMessage(message: ModelMessage & { role: "assistant" }): readonly object[] {
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return message.text === "" ? [] : [{ role: "assistant", content: message.text }];
  return [
    {
      role: "assistant",
      content: message.text === "" ? null : message.text,
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: isJsonObject(args) ? args : "{}" },
      })),
    },
  ];
}

/**
 * Whether the text is a complete JSON object. Servers parse the arguments of past calls again, and one bad call in the
 * transcript would make every later request fail; the tool's own error message tells the model what was wrong.
 */
export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Half of a character, as a truncated text may leave it, is written `\ud83d` in JSON, which strict parsers refuse. */
export function replaceLoneSurrogates(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => (escape.length > 2 ? "\\ufffd" : escape));
}
