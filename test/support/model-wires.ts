/** How one provider's API writes things, as bytes on the wire. Shapes are those of the public API references. */
export interface ModelWire {
  readonly name: "openai-compatible" | "anthropic" | "openai" | "google";
  /** Path that `baseUrl` ends in. */
  readonly path: string;
  /** A model that the provider's package knows. */
  readonly model: string;
  /** A streamed answer up to its last word, without an end. */
  begins(text: string): string;
  /** A whole streamed answer. */
  answers(text: string): string;
  /** A streamed answer that is one call of a tool. */
  calls(tool: string, args: string): string;
  /** What follows the beginning of an answer that ends as a refusal. */
  readonly refuses: string;
  /** The body of a status that is not 2xx. */
  error(status: number, words: string): string;
  /** An error in the middle of a stream. */
  errorEvent(words: string): string;
  /** The body with which a prompt that is too long is refused, with 400. */
  tooLong(words: string): string;
  /** Whether a request holds the result of a tool call. */
  hasResult(body: string): boolean;
}

/** Server-sent events with names, as Anthropic and OpenAI send them. */
const named = (...events: readonly ({ readonly type: string } & Record<string, unknown>)[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
/** Without names, as compatible servers and Google send them. */
const plain = (...events: readonly object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const compatibleBody = (type: string, words: string): string => JSON.stringify({ error: { message: words, type, code: null } });

const compatible: ModelWire = {
  name: "openai-compatible",
  path: "/v1",
  model: "gpt-oss-20b",
  begins: (text) => plain(chunk({ role: "assistant", content: text })),
  answers: (text) => `${plain(chunk({ role: "assistant", content: text }), chunk({}, "stop"))}data: [DONE]\n\n`,
  calls: (name, args) =>
    `${plain(
      chunk({ role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: args } }] }),
      chunk({}, "tool_calls"),
    )}data: [DONE]\n\n`,
  refuses: `${plain(chunk({}, "content_filter"))}data: [DONE]\n\n`,
  error: (status, words) => compatibleBody(status === 401 ? "invalid_request_error" : "server_error", words),
  errorEvent: (words) => plain({ error: { message: words, type: "server_error" } }),
  tooLong: (words) =>
    JSON.stringify({ error: { message: `This model's maximum context length is 8192 tokens. ${words}`, code: "context_length_exceeded" } }),
  hasResult: (body) => body.includes('"role":"tool"'),
};

const claudeStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  },
};
const claudeEnd = (reason: string) => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const claudeText = (text: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
];
const claudeBody = (type: string, message: string) => ({ type: "error", error: { type, message } });
const CLAUDE_TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error" };

const anthropic: ModelWire = {
  name: "anthropic",
  path: "/v1",
  model: "claude-sonnet-4-5",
  begins: (text) => named(claudeStart, ...claudeText(text)),
  answers: (text) => named(claudeStart, ...claudeText(text), { type: "content_block_stop", index: 0 }, ...claudeEnd("end_turn")),
  calls: (name, args) =>
    named(
      claudeStart,
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name, input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
      { type: "content_block_stop", index: 0 },
      ...claudeEnd("tool_use"),
    ),
  refuses: named({ type: "content_block_stop", index: 0 }, ...claudeEnd("refusal")),
  error: (status, words) => JSON.stringify(claudeBody(CLAUDE_TYPES[status] ?? "api_error", words)),
  errorEvent: (words) => named(claudeBody("overloaded_error", words)),
  tooLong: (words) => JSON.stringify(claudeBody("invalid_request_error", `prompt is too long: 250000 tokens > 200000 maximum. ${words}`)),
  hasResult: (body) => body.includes('"type":"tool_result"'),
};

const gptStart = { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5" } };
const gptMessage = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
const gptText = (text: string) => [
  { type: "response.output_item.added", output_index: 0, item: gptMessage },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: text },
];
const gptEnd = { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 5 } } };

const openai: ModelWire = {
  name: "openai",
  path: "/v1",
  model: "gpt-5",
  begins: (text) => named(gptStart, ...gptText(text)),
  answers: (text) =>
    named(
      gptStart,
      ...gptText(text),
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...gptMessage, status: "completed", content: [{ type: "output_text", text, annotations: [] }] },
      },
      gptEnd,
    ),
  calls: (name, args) => {
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", name };
    return named(
      gptStart,
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: args, status: "completed" } },
      gptEnd,
    );
  },
  refuses: named({
    type: "response.incomplete",
    response: { incomplete_details: { reason: "content_filter" }, usage: { input_tokens: 3, output_tokens: 0 } },
  }),
  error: (status, words) =>
    JSON.stringify({ error: { message: words, type: status === 401 ? "invalid_request_error" : "server_error", param: null, code: null } }),
  errorEvent: (words) =>
    named({ type: "error", sequence_number: 9, error: { type: "server_error", code: "server_error", message: words, param: null } }),
  tooLong: (words) =>
    JSON.stringify({
      error: {
        message: `Your input exceeds the context window of this model. ${words}`,
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    }),
  hasResult: (body) => body.includes('"type":"function_call_output"'),
};

const candidate = (parts: readonly object[], finishReason?: string): object => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) }],
});
const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
};
const googleBody = (code: number, message: string) => ({ error: { code, message, status: GOOGLE_STATUS[code] ?? "UNAVAILABLE" } });

const google: ModelWire = {
  name: "google",
  path: "/v1beta",
  model: "gemini-2.5-flash",
  begins: (text) => plain(candidate([{ text }])),
  answers: (text) => plain(candidate([{ text }], "STOP")),
  // Arguments are an object on this wire, so that they cannot be broken.
  calls: (name) => plain(candidate([{ functionCall: { name, args: { zone: 7 } } }], "STOP")),
  refuses: plain(candidate([], "SAFETY")),
  error: (status, words) => JSON.stringify(googleBody(status, words)),
  errorEvent: (words) => plain(googleBody(503, words)),
  tooLong: (words) =>
    JSON.stringify(googleBody(400, `The input token count (1200000) exceeds the maximum number of tokens allowed. ${words}`)),
  hasResult: (body) => body.includes('"functionResponse"'),
};

export const MODEL_WIRES: readonly ModelWire[] = [compatible, anthropic, openai, google];
