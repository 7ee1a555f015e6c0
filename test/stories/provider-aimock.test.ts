import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LLMock } from "@copilotkit/aimock";
import { systemClock, type ModelEvent, type ModelMessage, type ModelProvider } from "../../packages/plugin-sdk/src/index.ts";
import { createOpenAiCompatibleProvider } from "../../packages/core/src/providers/openai-compatible.ts";

const mock = new LLMock({ port: 0, chunkSize: 5 });
let provider: ModelProvider;

beforeAll(async () => {
  mock.onMessage("hello", { content: "Hello from the other side 👋" });
  mock.onMessage("think", { content: "42", reasoning: "Let me count." });
  mock.on(
    { userMessage: "the time", hasToolResult: false },
    { toolCalls: [{ name: "now", arguments: '{"zone":"UTC"}', id: "call_time" }] },
  );
  mock.on({ userMessage: "the time", hasToolResult: true }, { content: "It is noon." });
  mock.onMessage("break", { content: "This answer will not reach its end." }, { truncateAfterChunks: 3 });
  mock.onMessage("refuse", { error: { message: "slow down", type: "rate_limit_error" }, status: 429 });
  await mock.start();
  provider = createOpenAiCompatibleProvider({ id: "mock", baseUrl: `${mock.url}/v1`, apiKey: "mock-key", clock: systemClock });
});

afterAll(async () => {
  await provider.close?.();
  await mock.stop();
});

async function ask(messages: readonly ModelMessage[]): Promise<{ events: readonly ModelEvent[]; text: string; error: unknown }> {
  const events: ModelEvent[] = [];
  const tools = [{ name: "now", description: "The time.", parameters: { type: "object", properties: { zone: { type: "string" } } } }];
  let error: unknown;
  try {
    for await (const event of provider.stream({ model: "gpt-4o", messages, tools, thinking: "off", signal: new AbortController().signal }))
      events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, text: events.map((event) => (event.type === "text" ? event.delta : "")).join(""), error };
}

describe("the OpenAI-compatible provider against aimock", () => {
  it("streams a text and its usage", async () => {
    const { events, text } = await ask([{ role: "user", text: "hello" }]);
    expect(text).toBe("Hello from the other side 👋");
    expect(events.at(-1)).toMatchObject({ type: "end", reason: "stop", usage: { outputTokens: expect.any(Number) } });
  });

  it("streams reasoning apart from the text", async () => {
    const { events, text } = await ask([{ role: "user", text: "think" }]);
    expect(text).toBe("42");
    expect(events.map((event) => (event.type === "reasoning" ? event.delta : "")).join("")).toBe("Let me count.");
  });

  it("gets a tool call, and an answer once the result is there", async () => {
    const user: ModelMessage = { role: "user", text: "the time" };
    const first = await ask([user]);
    const call = { id: "call_time", name: "now", args: '{"zone":"UTC"}' };
    expect(first.events).toContainEqual({ type: "tool-call", call });
    expect(first.events.at(-1)).toMatchObject({ type: "end", reason: "tool-calls" });
    const second = await ask([
      user,
      { role: "assistant", text: "", toolCalls: [call] },
      { role: "tool", callId: call.id, name: "now", text: "noon" },
    ]);
    expect(second.text).toBe("It is noon.");
  });

  it("notices that an answer broke off", async () => {
    const { text, error } = await ask([{ role: "user", text: "break" }]);
    expect("This answer will not reach its end.").toMatch(new RegExp(`^${text}`));
    expect(error).toMatchObject({ code: "MODEL_NETWORK", retryable: true });
  });

  it("knows a rate limit", async () => {
    expect((await ask([{ role: "user", text: "refuse" }])).error).toMatchObject({ code: "MODEL_RATE_LIMITED", retryable: true });
  });

  it("answers fifty calls at once, each with its own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, index) => ask([{ role: "user", text: index % 2 === 0 ? "hello" : "think" }])),
    );
    expect(answers.map(({ text }) => text)).toEqual(
      Array.from({ length: 50 }, (_unused, index) => (index % 2 === 0 ? "Hello from the other side 👋" : "42")),
    );
  });
});
