import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LLMock } from "@copilotkit/aimock";
import { type ModelEvent, type ModelMessage, type ModelProvider, silentLogger, systemClock } from "../../packages/plugin-sdk/src/index.ts";
import { createAiSdkProvider } from "../../packages/core/src/providers/ai-sdk/provider.ts";
import { createOpenAiCompatibleProvider } from "../../packages/core/src/providers/openai-compatible.ts";

/** A transparent pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const KEY = "sk-story-0123456789abcdef";
const LONG = "This answer takes its time and goes on. ".repeat(200);

interface Maker {
  readonly name: string;
  readonly model: string;
  readonly path: string;
  make(baseUrl: string): ModelProvider;
}

const common = { apiKey: KEY, clock: systemClock, logger: silentLogger };

/** The same stories for each wire. */
const MAKERS: readonly Maker[] = [
  {
    name: "openai-compatible",
    model: "gpt-oss-20b",
    path: "/v1",
    make: (baseUrl) => createOpenAiCompatibleProvider({ id: "local", baseUrl, ...common }),
  },
  {
    name: "anthropic",
    model: "claude-sonnet-4-5",
    path: "/v1",
    make: (baseUrl) => createAiSdkProvider({ id: "anthropic", type: "anthropic", baseUrl, ...common }),
  },
  {
    name: "openai",
    model: "gpt-5",
    path: "/v1",
    make: (baseUrl) => createAiSdkProvider({ id: "openai", type: "openai", baseUrl, ...common }),
  },
  {
    name: "google",
    model: "gemini-2.5-flash",
    path: "/v1beta",
    make: (baseUrl) => createAiSdkProvider({ id: "google", type: "google", baseUrl, ...common }),
  },
];

const mock = new LLMock({ port: 0, chunkSize: 5 });
const open: ModelProvider[] = [];
/** Bodies as they went over the wire; the mock itself keeps only what it understands. */
const bodies: string[] = [];
const recorder = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const body = Buffer.concat(chunks);
    bodies.push(body.toString());
    const { method, headers } = incoming;
    const forward = request(mock.url + (incoming.url ?? ""), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forward.end(body);
  });
});

beforeAll(async () => {
  mock.onMessage("hello", { content: "Hello from the other side 👋" });
  mock.onMessage("think", { content: "42", reasoning: "Let me count." });
  mock.on(
    { userMessage: "the time", hasToolResult: false },
    { toolCalls: [{ name: "now", arguments: '{"zone":"UTC"}', id: "call_time" }] },
  );
  mock.on({ userMessage: "the time", hasToolResult: true }, { content: "It is noon." });
  mock.onMessage("picture", { content: "A pixel." });
  mock.onMessage("long", { content: LONG }, { latency: 20, chunkSize: 20 });
  mock.onMessage("break", { content: "This answer will not reach its end." }, { truncateAfterChunks: 4 });
  mock.onMessage("limited", { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 7 });
  mock.onMessage("overloaded", { error: { message: "try later", type: "overloaded_error" }, status: 529 });
  mock.onMessage("bad key", { error: { message: "no", type: "authentication_error" }, status: 401 });
  mock.onMessage("far too much", {
    error: { message: "prompt is too long: 250000 tokens > 200000 maximum", type: "invalid_request_error" },
    status: 400,
  });
  await mock.start();
  await once(recorder.listen(0, "127.0.0.1"), "listening");
});

afterAll(async () => {
  recorder.closeAllConnections();
  recorder.close();
  await mock.stop();
});
afterEach(async () => {
  for (const provider of open.splice(0)) await provider.close?.();
});

function provide({ make, path }: Maker, origin = mock.url): ModelProvider {
  const provider = make(origin + path);
  open.push(provider);
  return provider;
}

interface Heard {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly end: Extract<ModelEvent, { type: "end" }> | undefined;
  readonly error: unknown;
}

async function ask(
  provider: ModelProvider,
  model: string,
  messages: readonly ModelMessage[],
  { signal = new AbortController().signal, onEvent = (_event: ModelEvent): void => {} } = {},
): Promise<Heard> {
  const events: ModelEvent[] = [];
  const tools = [{ name: "now", description: "The time.", parameters: { type: "object", properties: { zone: { type: "string" } } } }];
  let error: unknown;
  try {
    for await (const event of provider.stream({ model, messages, tools, thinking: "low", signal })) {
      events.push(event);
      onEvent(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  return {
    events,
    text: events.map((event) => (event.type === "text" ? event.delta : "")).join(""),
    reasoning: events.map((event) => (event.type === "reasoning" ? event.delta : "")).join(""),
    end: events.find((event) => event.type === "end"),
    error,
  };
}

const say = (text: string): ModelMessage => ({ role: "user", text });

describe.each(MAKERS)("a provider of type $name", (maker) => {
  const { model } = maker;

  it("streams a text, and ends with its usage", async () => {
    const { events, text, end, error } = await ask(provide(maker), model, [{ role: "system", text: "Be brief." }, say("hello")]);
    expect(error).toBeUndefined();
    expect(text).toBe("Hello from the other side 👋");
    expect(events.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
    expect(end).toMatchObject({ reason: "stop", usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) } });
  });

  it("streams reasoning apart from the text", async () => {
    const { text, reasoning, error } = await ask(provide(maker), model, [say("think")]);
    expect(error).toBeUndefined();
    expect(reasoning).toBe("Let me count.");
    expect(text).toBe("42");
  });

  it("gets a tool call, and an answer once the result is there", async () => {
    const provider = provide(maker);
    const first = await ask(provider, model, [say("the time")]);
    expect(first.error).toBeUndefined();
    const call = first.events.find((event) => event.type === "tool-call")?.call;
    expect(call).toMatchObject({ name: "now", args: '{"zone":"UTC"}' });
    expect(first.end?.reason).toBe("tool-calls");
    const id = call?.id ?? "";
    const second = await ask(provider, model, [
      say("the time"),
      {
        role: "assistant",
        text: first.text,
        toolCalls: [call!],
        ...(first.end?.opaque === undefined ? {} : { opaque: { model, data: first.end.opaque } }),
      },
      { role: "tool", callId: id, name: "now", text: "noon" },
    ]);
    expect(second.error).toBeUndefined();
    expect(second.text).toBe("It is noon.");
  });

  it("shows an image to the model", async () => {
    const { port } = recorder.address() as AddressInfo;
    const { text } = await ask(provide(maker, `http://127.0.0.1:${port}`), model, [
      { role: "user", text: "picture", images: [{ mimeType: "image/png", base64: PIXEL }] },
    ]);
    expect(text).toBe("A pixel.");
    expect(bodies.at(-1)).toContain(PIXEL);
  });

  it("stops within a second of an abort, in the middle of an answer", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped by the test");
    let stoppedAt = 0;
    const onEvent = (event: ModelEvent): void => {
      if (event.type !== "text" || stoppedAt > 0) return;
      stoppedAt = performance.now();
      stop.abort(reason);
    };
    const { error, text } = await ask(provide(maker), model, [say("long")], { signal: stop.signal, onEvent });
    expect(performance.now() - stoppedAt).toBeLessThan(1000);
    expect(error).toBe(reason);
    expect(text.length).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(LONG.length);
  });

  it("notices that an answer broke off", async () => {
    const { error, end } = await ask(provide(maker), model, [say("break")]);
    expect(end).toBeUndefined();
    expect(error).toMatchObject({ code: "MODEL_NETWORK", retryable: true });
  });

  it.each([
    ["limited", { code: "MODEL_RATE_LIMITED", retryable: true, retryAfterMs: 7000 }],
    ["overloaded", { code: "MODEL_OVERLOADED", retryable: true }],
    ["bad key", { code: "MODEL_AUTH", retryable: false }],
    ["far too much", { code: "MODEL_CONTEXT_OVERFLOW", retryable: false }],
  ])("knows what a refusal means: %s", async (text, expected) => {
    const { error } = await ask(provide(maker), model, [say(text)]);
    expect(error).toMatchObject(expected);
    expect(JSON.stringify((error as { detail: unknown }).detail)).not.toContain(KEY);
  });

  it("says that a server is dead", async () => {
    const { error } = await ask(provide(maker, await deadOrigin()), model, [say("hello")]);
    expect(error).toMatchObject({ code: "MODEL_NETWORK", retryable: true, hint: expect.stringContaining("Nothing listens") });
  });

  it("answers fifty calls at once, each with its own answer", async () => {
    const provider = provide(maker);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_unused, n) => ask(provider, model, [say(n % 2 === 0 ? "hello" : "think")])),
    );
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_unused, n) => (n % 2 === 0 ? "Hello from the other side 👋" : "42")));
  });
});

/** An address where nothing listens any more. */
async function deadOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}`;
}
