import type { ServerResponse } from "node:http";
import {
  type GatewayError,
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  silentLogger,
  systemClock,
  type ThinkingLevel,
} from "@trunkline/plugin-sdk";
import { afterEach, describe, expect, it } from "vitest";
import { ANSWER_LIMIT } from "../answer-text.ts";
import { type SeenRequest, startFakeOpenAi } from "../fake-openai.ts";
import { type AiSdkOptions, createAiSdkProvider } from "./provider.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** One provider against a server that always answers like this. */
async function against(type: AiSdkOptions["type"], answer: Answer, options: Partial<AiSdkOptions> = {}) {
  const server = await startFakeOpenAi(answer);
  closers.push(() => server.close());
  const provider = createAiSdkProvider({
    id: "p",
    type,
    baseUrl: server.baseUrl,
    apiKey: "k",
    clock: systemClock,
    logger: silentLogger,
    ...options,
  });
  closers.push(() => provider.close?.());
  return { provider, seen: server.seen };
}

/** Server-sent events with names, as Anthropic and OpenAI send them. */
const events = (...list: readonly ({ readonly type: string } & Record<string, unknown>)[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
/** Server-sent events without, as Google sends them. */
const chunks = (...list: readonly object[]): string => list.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");

function stream(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
}

const CLAUDE_START = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 2 },
  },
};
const claudeEnd = (reason: string) => [
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const claudeText = (text: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index: 0 },
];

const ANSWERS: Readonly<Record<AiSdkOptions["type"], string>> = {
  anthropic: events(CLAUDE_START, ...claudeText("ok"), ...claudeEnd("end_turn")),
  openai: events(
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt" } },
    { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 5 } } },
  ),
  google: chunks({ candidates: [{ content: { parts: [{ text: "ok" }], role: "model" }, finishReason: "STOP", index: 0 }] }),
};

async function ask(provider: ModelProvider, request: Partial<ModelRequest> = {}): Promise<{ events: ModelEvent[]; error: unknown }> {
  const heard: ModelEvent[] = [];
  const whole: ModelRequest = {
    model: "m",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    thinking: "low",
    signal: new AbortController().signal,
    ...request,
  };
  try {
    for await (const event of provider.stream(whole)) heard.push(event);
  } catch (error) {
    return { events: heard, error };
  }
  return { events: heard, error: undefined };
}

describe("the thinking level on the wire", () => {
  it.each<[AiSdkOptions["type"], string, ThinkingLevel, object]>([
    ["anthropic", "claude-opus-5", "high", { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } }],
    ["anthropic", "claude-opus-5", "off", { thinking: { type: "disabled" } }],
    ["anthropic", "claude-opus-4-6", "xhigh", { output_config: { effort: "high" } }],
    ["anthropic", "claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 8192 } }],
    ["openai", "gpt-5.1", "off", { reasoning: { effort: "none" } }],
    ["openai", "gpt-5", "off", { reasoning: { effort: "minimal" } }],
    ["openai", "gpt-5.2", "xhigh", { reasoning: { effort: "xhigh" }, store: false }],
    ["google", "gemini-2.5-flash", "off", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ["google", "gemini-2.5-pro", "off", { generationConfig: { thinkingConfig: { thinkingBudget: 512, includeThoughts: true } } }],
    ["google", "gemini-3-flash-preview", "low", { generationConfig: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } }],
  ])("of %s %s for %s", async (type, model, thinking, body) => {
    const { provider, seen } = await against(type, (response) => stream(response, ANSWERS[type]));
    expect((await ask(provider, { model, thinking })).error).toBeUndefined();
    expect(seen[0]?.body).toMatchObject(body);
  });

  it.each<[AiSdkOptions["type"], string]>([
    ["anthropic", "claude-unheard-of"],
    ["openai", "gpt-4o"],
    ["google", "gemini-unheard-of"],
  ])("is not mentioned to %s %s, which has none that we know", async (type, model) => {
    const { provider, seen } = await against(type, (response) => stream(response, ANSWERS[type]));
    await ask(provider, { model, thinking: "high" });
    expect(JSON.stringify(seen[0]?.body)).not.toMatch(/thinking|reasoning|effort/i);
  });

  it("can be told in the configuration for a model that is not in the catalogue", async () => {
    const models = { "claude-next": { thinking: ["off", "low", "xhigh"] as const, maxOutput: 1000 } };
    const { provider, seen } = await against("anthropic", (response) => stream(response, ANSWERS.anthropic), { models });
    await ask(provider, { model: "claude-next", thinking: "xhigh" });
    expect(seen[0]?.body).toMatchObject({ output_config: { effort: "xhigh" }, max_tokens: 1000 });
  });
});

describe("a call by a vendor's package", () => {
  it("sends key, headers and params, and nothing of the conversation is lost", async () => {
    const { provider, seen } = await against("anthropic", (response) => stream(response, ANSWERS.anthropic), {
      headers: { "X-Team": "blue" },
    });
    const messages: ModelMessage[] = [
      { role: "system", text: "Be brief." },
      { role: "user", text: "Look", images: [{ mimeType: "image/png", base64: "AAAA" }] },
      {
        role: "assistant",
        text: "",
        toolCalls: [
          { id: "a1", name: "now", args: '{"zone":"UTC"}' },
          { id: "a2", name: "now", args: "{broken" },
        ],
      },
      { role: "tool", callId: "a1", name: "now", text: "noon" },
      { role: "tool", callId: "a2", name: "now", text: "no such zone", isError: true },
      { role: "assistant", text: "" },
      { role: "user", text: "half a \ud83d character" },
    ];
    await ask(provider, { model: "claude-sonnet-4-5", messages, thinking: "off", params: { temperature: 0.5, max_tokens: 77 } });
    expect(seen[0]).toMatchObject({ path: "/v1/messages", headers: { "x-api-key": "k", "x-team": "blue", "user-agent": "trunkline" } });
    expect(seen[0]?.body).toMatchObject({
      model: "claude-sonnet-4-5",
      stream: true,
      temperature: 0.5,
      max_tokens: 77,
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a1", name: "now", input: { zone: "UTC" } },
            { type: "tool_use", id: "a2", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a1", content: "noon" },
            { type: "tool_result", tool_use_id: "a2", content: "no such zone", is_error: true },
            { type: "text", text: "half a \ufffd character" },
          ],
        },
      ],
    });
  });

  it("counts what came from the provider's cache", async () => {
    const { provider } = await against("anthropic", (response) => stream(response, ANSWERS.anthropic));
    const { events: heard } = await ask(provider, { model: "claude-sonnet-4-5" });
    expect(heard.at(-1)).toMatchObject({ type: "end", reason: "stop", usage: { inputTokens: 5, outputTokens: 5, cachedTokens: 2 } });
  });

  it("ends a refusal as one, and an answer that is cut by its length without tool calls", async () => {
    const refused = await against("anthropic", (response) =>
      stream(response, events(CLAUDE_START, ...claudeText("No."), ...claudeEnd("refusal"))),
    );
    expect((await ask(refused.provider)).events.at(-1)).toMatchObject({ type: "end", reason: "refusal" });
    const call = { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "now", input: {} } };
    const cut = await against("anthropic", (response) =>
      stream(response, events(CLAUDE_START, call, { type: "content_block_stop", index: 0 }, ...claudeEnd("max_tokens"))),
    );
    expect((await ask(cut.provider)).events.map(({ type }) => type)).toEqual(["end"]);
  });

  it("stops at the longest answer that is taken", async () => {
    const piece = events({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(10_000) } });
    const { provider } = await against("anthropic", (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events(CLAUDE_START, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
        response.once("drain", pour);
      };
      pour();
    });
    const { events: heard, error } = await ask(provider, { model: "claude-sonnet-4-5" });
    expect(error).toBeUndefined();
    expect(heard.reduce((sum, event) => sum + (event.type === "text" ? event.delta.length : 0), 0)).toBe(ANSWER_LIMIT);
    expect(heard.at(-1)).toMatchObject({ type: "end", reason: "length" });
  });
});

describe("what a provider attaches to its answers comes back to it", () => {
  async function roundTrip(type: AiSdkOptions["type"], model: string, body: string): Promise<string> {
    const { provider, seen } = await against(type, (response, { body: sent }) =>
      stream(response, JSON.stringify(sent).includes("noon") ? ANSWERS[type] : body),
    );
    const user: ModelMessage = { role: "user", text: "The time?" };
    const tools = [{ name: "now", description: "The time.", parameters: { type: "object", properties: {} } }];
    const first = await ask(provider, { model, messages: [user], tools });
    expect(first.error).toBeUndefined();
    const text = first.events.map((event) => (event.type === "text" ? event.delta : "")).join("");
    const toolCalls = first.events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
    const end = first.events.find((event) => event.type === "end");
    // Through JSON, as the transcript keeps it.
    const opaque = JSON.parse(JSON.stringify({ model, data: end?.opaque })) as { model: string; data: unknown };
    const result: ModelMessage = { role: "tool", callId: toolCalls[0]?.id ?? "", name: "now", text: "noon" };
    const second = await ask(provider, { model, messages: [user, { role: "assistant", text, toolCalls, opaque }, result], tools });
    expect(second.error).toBeUndefined();
    return JSON.stringify((seen[1]?.body as { messages?: unknown; input?: unknown; contents?: unknown }) ?? {});
  }

  it("the signature of Claude's thinking, before the tool call that it led to", async () => {
    const sent = await roundTrip(
      "anthropic",
      "claude-sonnet-4-5",
      events(
        CLAUDE_START,
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "A clock is needed." } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "SIGNED" } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me see." } },
        { type: "content_block_stop", index: 1 },
        { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "t1", name: "now", input: {} } },
        { type: "content_block_stop", index: 2 },
        ...claudeEnd("tool_use"),
      ),
    );
    expect(sent).toMatch(/"type":"thinking","thinking":"A clock is needed.","signature":"SIGNED".*"text":"Let me see.".*"type":"tool_use"/);
  });

  it("OpenAI's encrypted reasoning", async () => {
    const sent = await roundTrip(
      "openai",
      "gpt-5",
      events(
        { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5" } },
        { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", encrypted_content: null } },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "reasoning", id: "rs_1", encrypted_content: "ENCRYPTED", summary: [] },
        },
        {
          type: "response.output_item.added",
          output_index: 1,
          item: { type: "function_call", id: "fc_1", call_id: "c1", name: "now", arguments: "" },
        },
        {
          type: "response.output_item.done",
          output_index: 1,
          item: { type: "function_call", id: "fc_1", call_id: "c1", name: "now", arguments: "{}", status: "completed" },
        },
        { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 5 } } },
      ),
    );
    expect(sent).toContain("ENCRYPTED");
    expect(sent).not.toContain("item_reference");
    expect(sent).toContain('"store":false');
    expect(sent).toContain("reasoning.encrypted_content");
  });

  it("Gemini's signature of a thought", async () => {
    const sent = await roundTrip(
      "google",
      "gemini-3-flash-preview",
      chunks({
        candidates: [
          {
            content: { role: "model", parts: [{ functionCall: { name: "now", args: {} }, thoughtSignature: "SIGNED" }] },
            finishReason: "STOP",
            index: 0,
          },
        ],
      }),
    );
    expect(sent).toContain('"thoughtSignature":"SIGNED"');
  });
});

describe("a call that fails", () => {
  const failure = async (
    type: AiSdkOptions["type"],
    answer: Answer,
    options: Partial<AiSdkOptions> = {},
    request: Partial<ModelRequest> = {},
  ) => {
    const { provider } = await against(type, answer, options);
    const { error } = await ask(provider, request);
    return error as GatewayError;
  };

  it.each<[string, AiSdkOptions["type"], string, string]>([
    [
      "Anthropic is overloaded before the first word",
      "anthropic",
      events({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      "MODEL_OVERLOADED",
    ],
    [
      "Anthropic limits after it began",
      "anthropic",
      events(CLAUDE_START, ...claudeText("x"), { type: "error", error: { type: "rate_limit_error", message: "Slow" } }),
      "MODEL_RATE_LIMITED",
    ],
    [
      "OpenAI fails",
      "openai",
      events(
        { type: "response.created", response: { id: "r", created_at: 1, model: "gpt" } },
        { type: "response.failed", sequence_number: 2, response: { error: { code: "rate_limit_exceeded", message: "Slow" } } },
      ),
      "MODEL_RATE_LIMITED",
    ],
    [
      "OpenAI sends an error event",
      "openai",
      events({ type: "error", sequence_number: 1, error: { type: "server_error", code: "server_error", message: "Oops", param: null } }),
      "MODEL_OVERLOADED",
    ],
    [
      "Google sends an error",
      "google",
      chunks({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
      "MODEL_OVERLOADED",
    ],
    ["Anthropic's answer has no end", "anthropic", events(CLAUDE_START, ...claudeText("Half an")), "MODEL_NETWORK"],
    [
      "OpenAI's answer has no end",
      "openai",
      events({ type: "response.created", response: { id: "r", created_at: 1, model: "gpt" } }),
      "MODEL_NETWORK",
    ],
    [
      "Google's answer has no end",
      "google",
      chunks({ candidates: [{ content: { parts: [{ text: "Half" }], role: "model" }, index: 0 }] }),
      "MODEL_NETWORK",
    ],
    ["an answer does not fit the protocol", "anthropic", "data: {]\n\n", "MODEL_BAD_RESPONSE"],
    ["an answer is of another protocol", "google", chunks({ candidates: 5 }), "MODEL_BAD_RESPONSE"],
  ])("because %s", async (_name, type, body, code) => {
    expect(await failure(type, (response) => stream(response, body))).toMatchObject({ code });
  });

  it("because of the account, the key or a limit, in Anthropic's and Google's words", async () => {
    const refuse =
      (status: number, body: object): Answer =>
      (response) =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const credit = {
      type: "error",
      error: { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." },
    };
    expect(await failure("anthropic", refuse(400, credit))).toMatchObject({ code: "MODEL_BILLING" });
    const key = { error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } };
    expect(await failure("google", refuse(400, key))).toMatchObject({ code: "MODEL_AUTH" });
    const limit = {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" }],
      },
    };
    expect(await failure("google", refuse(429, limit))).toMatchObject({ code: "MODEL_RATE_LIMITED", retryAfterMs: 37_000 });
  });

  it("because the server falls silent", async () => {
    const silent: Answer = (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(events(CLAUDE_START));
    expect(await failure("anthropic", silent, { timeouts: { idleMs: 50 } })).toMatchObject({
      code: "MODEL_TIMEOUT",
      detail: { limit: "idleMs" },
    });
    const mute: Answer = () => {};
    expect(await failure("openai", mute, { timeouts: { firstByteMs: 50 } })).toMatchObject({
      code: "MODEL_TIMEOUT",
      detail: { limit: "firstByteMs" },
    });
  });

  it("because params make no sense", async () => {
    const error = await failure("openai", (response) => stream(response, ANSWERS.openai), {}, { params: { store: "perhaps" } });
    expect(error).toMatchObject({ code: "MODEL_BAD_REQUEST", hint: expect.stringContaining("params") });
  });

  it("because the key contains a line break", async () => {
    expect(await failure("anthropic", () => {}, { apiKey: "a\nb" })).toMatchObject({
      code: "MODEL_NETWORK",
      hint: expect.stringContaining("stray characters"),
    });
  });

  it("without a word of the provider's in the error's own sentence", async () => {
    const error = await failure("anthropic", (response) => void response.writeHead(500).end("secret sauce k"), {
      apiKey: "sk-1234567890-abcdefgh",
    });
    expect(`${error.message} ${error.hint}`).not.toContain("sauce");
    expect(error.detail["body"]).toContain("sauce");
  });
});
