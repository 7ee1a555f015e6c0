import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  GatewayError,
  describeError,
  systemClock,
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
} from "@trunkline/plugin-sdk";
import { ANSWER_LIMIT } from "./answer-text.ts";
import { createOpenAiCompatibleProvider, type OpenAiCompatibleOptions } from "./openai-compatible.ts";
import {
  createStillClock,
  piece,
  pour,
  sendStream,
  startFakeOpenAi,
  textStream,
  type FakeOpenAi,
  type SeenRequest,
} from "./fake-openai.ts";

const KEY = "sk-local-1234567890abcdef";
const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(answer: (response: ServerResponse, request: SeenRequest) => void | Promise<void>): Promise<FakeOpenAi> {
  const server = await startFakeOpenAi(answer);
  closers.push(() => server.close());
  return server;
}

function provide(baseUrl: string, options: Partial<OpenAiCompatibleOptions> = {}): ModelProvider {
  const provider = createOpenAiCompatibleProvider({ id: "local", baseUrl, clock: systemClock, ...options });
  closers.push(() => provider.close?.());
  return provider;
}

function ask(options: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "small",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    thinking: "off",
    signal: new AbortController().signal,
    ...options,
  };
}

async function collect(
  stream: AsyncIterable<ModelEvent>,
): Promise<{ events: ModelEvent[]; text: string; end: ModelEvent | undefined; error: unknown }> {
  const events: ModelEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, text: textOf(events), end: events.find(({ type }) => type === "end"), error };
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

/** Runs a call that must fail, and gives its error and what was streamed before it. */
async function fail(provider: ModelProvider, request = ask()): Promise<{ error: GatewayError; text: string }> {
  const { error, text, end } = await collect(provider.stream(request));
  expect(end).toBeUndefined();
  expect(error).toBeInstanceOf(GatewayError);
  return { error: error as GatewayError, text };
}

/** One provider against a server that always answers like this. */
async function against(
  answer: (response: ServerResponse, request: SeenRequest) => void | Promise<void>,
  options: Partial<OpenAiCompatibleOptions> = {},
): Promise<ModelProvider> {
  return provide((await serve(answer)).baseUrl, options);
}

describe("a call to an OpenAI-compatible server", () => {
  it("sends the conversation, the tools and the images as the protocol wants them", async () => {
    const server = await serve((response) => sendStream(response, textStream("ok")));
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
      { role: "assistant", text: "" },
      { role: "assistant", text: "It is noon." },
      { role: "user", text: "half a \ud83d character, and \\ud83d" },
    ];
    const tools = [{ name: "now", description: "The time.", parameters: { type: "object", properties: {} } }];
    await collect(
      provide(`${server.baseUrl}/`, { apiKey: `${KEY}\n`, headers: { "X-Title": "Test" } }).stream(
        ask({ messages, tools, params: { temperature: 0, model: "other", stream: false } }),
      ),
    );
    const [seen] = server.seen;
    expect(seen?.path).toBe("/v1/chat/completions");
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-title": "Test", "content-type": "application/json" });
    expect(seen?.body).toEqual({
      model: "small",
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      tools: [{ type: "function", function: { name: "now", description: "The time.", parameters: { type: "object", properties: {} } } }],
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a1", type: "function", function: { name: "now", arguments: '{"zone":"UTC"}' } },
            { id: "a2", type: "function", function: { name: "now", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "a1", content: "noon" },
        { role: "assistant", content: "It is noon." },
        { role: "user", content: "half a \ufffd character, and \\ud83d" },
      ],
    });
  });

  it("streams text as it comes and ends with the usage", async () => {
    let release = (): void => {};
    const provider = await against(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(piece({ role: "assistant", content: "Hel" }));
      await new Promise<void>((resolve) => (release = resolve));
      response.end(textStream("lo"));
    });
    const events = provider.stream(ask())[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { type: "text", delta: "Hel" } });
    release();
    expect(await events.next()).toEqual({ done: false, value: { type: "text", delta: "lo" } });
    expect(await events.next()).toEqual({
      done: false,
      value: { type: "end", reason: "stop", usage: { inputTokens: 11, outputTokens: 7 } },
    });
    expect((await events.next()).done).toBe(true);
  });

  it("uses its connections again for one call after the other", async () => {
    const server = await serve((response) => sendStream(response, textStream("ok")));
    const provider = provide(server.baseUrl);
    for (let call = 0; call < 5; call++) expect((await collect(provider.stream(ask()))).text).toBe("ok");
    // Two, not one: an answer counts as whole when it says so, which may be a moment before its connection is free.
    expect(server.seen).toHaveLength(5);
    expect(new Set(server.seen.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  it("passes reasoning on apart from the text, under either of its names and once", async () => {
    const provider = await against((response) =>
      sendStream(
        response,
        piece({ reasoning_content: "Hm. " }) +
          piece({ reasoning: "Well." }) +
          piece({ reasoning: "A", reasoning_content: "A" }) +
          piece(
            {
              content: [
                { type: "thinking", thinking: [{ type: "text", text: "B" }] },
                { type: "text", text: "Yes" },
              ],
            },
            "stop",
          ),
      ),
    );
    const { events, text } = await collect(provider.stream(ask()));
    expect(events.map((event) => (event.type === "reasoning" ? event.delta : "")).join("")).toBe("Hm. Well.AB");
    expect(text).toBe("Yes");
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "refusal"],
    ["end_turn", "stop"],
    ["constructor", "stop"],
    ["tool_calls", "stop"],
  ])("understands the finish reason %s as %s", async (wire, reason) => {
    const provider = await against((response) => sendStream(response, piece({ content: "x" }, wire) + "data: [DONE]\n\n"));
    expect((await collect(provider.stream(ask()))).end).toEqual({ type: "end", reason });
  });

  it("takes an answer that is not streamed", async () => {
    const provider = await against((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          choices: [
            {
              message: { role: "assistant", content: "Whole", tool_calls: [{ id: "t", function: { name: "now", arguments: {} } }] },
              finish_reason: "tool_calls",
            },
          ],
          usage: { prompt_tokens: 3, completion_tokens: 2 },
        }),
      );
    });
    expect((await collect(provider.stream(ask()))).events).toEqual([
      { type: "text", delta: "Whole" },
      { type: "tool-call", call: { id: "t", name: "now", args: "{}" } },
      { type: "end", reason: "tool-calls", usage: { inputTokens: 3, outputTokens: 2 } },
    ]);
  });

  it("stops an endless answer at its limit and says that it was cut", async () => {
    const server = await serve((response) => pour(response.writeHead(200), piece({ content: "é".repeat(2000) })));
    const { text, end, error } = await collect(provide(server.baseUrl).stream(ask()));
    expect(error).toBeUndefined();
    expect(text).toHaveLength(ANSWER_LIMIT);
    expect(end).toEqual({ type: "end", reason: "length" });
    await server.gone(server.seen[0]?.socket as Socket);
  });

  it("holds the server back while nobody reads, and loses nothing", async () => {
    const line = "a".repeat(1000);
    const provider = await against((response) =>
      sendStream(response, Array.from({ length: 450 }, () => piece({ content: line })).join("") + piece({}, "stop")),
    );
    const stream = provider.stream(ask());
    let text = "";
    for await (const event of stream) {
      if (event.type === "text") text += event.delta;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(text).toBe(line.repeat(450));
  });
});

describe("an answer that arrives in odd pieces", () => {
  const stream = `: hello\r\n\r\n${piece({ content: "Grüße 👋🏽" }).replaceAll("\n", "\r\n")}: ping\n\n${piece({ content: " 日本" }).replaceAll("\n", "\r")}event: ping\ndata: {}\n\nid: 7\nretry: 10\n${piece({ content: "!" }, "stop")}data: [DONE]\n\n`;

  it("is the same at every cut", async () => {
    const bytes = Buffer.from(stream);
    let cut = 0;
    const provider = await against(async (response) => {
      response.writeHead(200);
      response.socket?.setNoDelay(true);
      response.write(bytes.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      response.end(bytes.subarray(cut));
    });
    for (cut = 1; cut < bytes.length; cut++) {
      const { text, end, error } = await collect(provider.stream(ask()));
      expect([cut, text, end?.type, error]).toEqual([cut, "Grüße 👋🏽 日本!", "end", undefined]);
    }
  });

  it("may come byte by byte", async () => {
    const provider = await against(async (response) => {
      response.writeHead(200);
      for (const byte of Buffer.from(stream)) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect((await collect(provider.stream(ask()))).text).toBe("Grüße 👋🏽 日本!");
  });

  it("may lack the last blank line", async () => {
    const provider = await against((response) => sendStream(response, piece({ content: "ok" }) + piece({}, "stop").trimEnd()));
    expect((await collect(provider.stream(ask()))).end).toEqual({ type: "end", reason: "stop" });
  });
});

describe("tool calls", () => {
  const now = (args: unknown, more: object = {}): object => ({ function: { name: "now", arguments: args }, ...more });
  it.each<readonly [name: string, pieces: readonly object[], calls: readonly (readonly [id: string, name: string, args: string])[]]>([
    [
      "in pieces by index",
      [
        now('{"a', { index: 0, id: "x" }),
        now('{"b', { index: 1, id: "y" }),
        { index: 0, function: { arguments: '":1}' } },
        { index: 1, function: { arguments: '":2}' } },
      ],
      [
        ["x", "now", '{"a":1}'],
        ["y", "now", '{"b":2}'],
      ],
    ],
    ["with the name and id repeated", [now('{"a', { index: 0, id: "x" }), now('":1}', { index: 0, id: "x" })], [["x", "now", '{"a":1}']]],
    ["without index or id, in pieces", [now('{"a'), { function: { arguments: '":1}' } }], [["call_1_0", "now", '{"a":1}']]],
    [
      "whole, without index or id",
      [now('{"a":1}'), now('{"a":2}')],
      [
        ["call_1_0", "now", '{"a":1}'],
        ["call_1_1", "now", '{"a":2}'],
      ],
    ],
    [
      "whole, all with index 0",
      [now("{}", { index: 0, id: "x" }), now("{}", { index: 0, id: "y" })],
      [
        ["x", "now", "{}"],
        ["y", "now", "{}"],
      ],
    ],
    [
      "by id, without index",
      [
        now('{"a', { id: "x" }),
        now('{"b', { id: "y" }),
        { id: "x", function: { arguments: '":1}' } },
        { id: "y", function: { arguments: '":2}' } },
      ],
      [
        ["x", "now", '{"a":1}'],
        ["y", "now", '{"b":2}'],
      ],
    ],
    [
      "with one id for two",
      [now('{"a":1}', { index: 0, id: "x" }), now('{"a":2}', { index: 1, id: "x" })],
      [
        ["x", "now", '{"a":1}'],
        ["call_1_1", "now", '{"a":2}'],
      ],
    ],
    [
      "with arguments as an object, or none",
      [now({ a: 1 }, { index: 0, id: "x" }), now("", { index: 1, id: "y" }), now(null, { index: 2, id: "z" })],
      [
        ["x", "now", '{"a":1}'],
        ["y", "now", "{}"],
        ["z", "now", "{}"],
      ],
    ],
  ])("are understood %s", async (_name, pieces, calls) => {
    const provider = await against((response) =>
      sendStream(response, pieces.map((call) => piece({ tool_calls: [call] })).join("") + piece({}, "stop") + "data: [DONE]\n\n"),
    );
    const { events } = await collect(provider.stream(ask()));
    expect(events).toEqual([
      ...calls.map(([id, name, args]) => ({ type: "tool-call", call: { id, name, args } })),
      { type: "end", reason: "tool-calls" },
    ]);
  });

  it("are not carried out when the answer was cut by its length", async () => {
    const provider = await against((response) =>
      sendStream(response, piece({ tool_calls: [now('{"a', { index: 0, id: "x" })] }) + piece({}, "length")),
    );
    expect((await collect(provider.stream(ask()))).events).toEqual([{ type: "end", reason: "length" }]);
  });

  it("without a name are an answer that cannot be understood", async () => {
    const provider = await against((response) =>
      sendStream(response, piece({ tool_calls: [{ index: 0, id: "x", function: { arguments: "{}" } }] }) + piece({}, "tool_calls")),
    );
    expect((await fail(provider)).error.code).toBe("MODEL_BAD_RESPONSE");
  });

  it("of a hostile shape do no harm", async () => {
    const provider = await against((response) =>
      sendStream(
        response,
        [null, 7, "x", { index: "0" }, { function: 3 }].map((call) => piece({ tool_calls: [call], content: 5 })).join("") +
          'data: 7\n\ndata: null\n\ndata: {"choices":[null,{"delta":"x"}]}\n\n' +
          piece({ tool_calls: "x" }, "stop"),
      ),
    );
    const { error, end } = await collect(provider.stream(ask()));
    expect(error === undefined ? end : (error as GatewayError).code).toBe("MODEL_BAD_RESPONSE");
  });
});

describe("a server that refuses", () => {
  it.each<readonly [status: number, body: string, code: string, retryable: boolean]>([
    [401, "{}", "MODEL_AUTH", false],
    [403, "{}", "MODEL_AUTH", false],
    [403, '{"error":{"message":"Your input was flagged"}}', "MODEL_REFUSED", false],
    [402, "{}", "MODEL_BILLING", false],
    [429, '{"error":{"code":"insufficient_quota"}}', "MODEL_BILLING", false],
    [404, "not here", "MODEL_UNKNOWN", false],
    [400, '{"error":{"message":"small is not a valid model ID"}}', "MODEL_UNKNOWN", false],
    [408, "", "MODEL_TIMEOUT", true],
    [429, "{}", "MODEL_RATE_LIMITED", true],
    [400, '{"error":{"code":"context_length_exceeded"}}', "MODEL_CONTEXT_OVERFLOW", false],
    [400, "This model's maximum context length is 4096 tokens.", "MODEL_CONTEXT_OVERFLOW", false],
    [413, "<html>Request Entity Too Large</html>", "MODEL_CONTEXT_OVERFLOW", false],
    [500, "the request exceeds the available context size", "MODEL_CONTEXT_OVERFLOW", false],
    [400, '{"error":{"message":"temperature must be a number"}}', "MODEL_BAD_REQUEST", false],
    [422, "{}", "MODEL_BAD_REQUEST", false],
    [500, "{}", "MODEL_OVERLOADED", true],
    [503, "{}", "MODEL_OVERLOADED", true],
    [529, "{}", "MODEL_OVERLOADED", true],
    [502, "bad gateway", "MODEL_NETWORK", true],
    [504, "", "MODEL_NETWORK", true],
  ])("with %i %s is %s (retryable: %s)", async (status, body, code, retryable) => {
    const provider = await against((response) => void response.writeHead(status).end(body), { apiKey: KEY });
    const { error } = await fail(provider);
    expect([error.code, error.retryable, error.detail["status"]]).toEqual([code, retryable, status]);
  });

  it("is quoted in the detail only, shortened and without the key", async () => {
    const words = `Incorrect key ${KEY} and header secret-header-value ${"x".repeat(2000)}`;
    const provider = await against((response) => void response.writeHead(401).end(words), {
      apiKey: KEY,
      headers: { "x-api-key": "secret-header-value" },
    });
    const { error } = await fail(provider);
    const body = String(error.detail["body"]);
    expect(body).toHaveLength(500);
    expect(body).toContain("Incorrect key [redacted]");
    expect(JSON.stringify([error.message, error.hint, error.detail, describeError(error), String(error.stack)])).not.toMatch(
      /1234567890abcdef|secret-header-value/,
    );
    expect(error.message + error.hint).not.toContain("Incorrect");
  });

  it("for want of a key says that none is set", async () => {
    const provider = await against((response) => void response.writeHead(401).end());
    expect((await fail(provider)).error.hint).toContain("none is set");
  });

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after": new Date(1_700_000_030_000).toUTCString() }, 30_000],
    // Without a word from the server, the first rest of the key.
    [{ "retry-after": "soon" }, 1000],
    [{}, 1000],
  ])("for too many requests tells when to come back: %j", async (headers, wait) => {
    const provider = await against((response) => void response.writeHead(429, headers).end("{}"), { clock: createStillClock() });
    expect((await fail(provider)).error.retryAfterMs).toBe(wait);
  });

  it("by a redirect is not followed", async () => {
    const server = await serve((response) => void response.writeHead(307, { location: "/elsewhere" }).end());
    const { error } = await fail(provide(server.baseUrl, { apiKey: KEY }));
    expect([error.code, server.seen.length]).toEqual(["MODEL_BAD_RESPONSE", 1]);
    expect(error.hint).toContain("redirects");
  });

  it("and hangs up in the middle of its explanation is still understood", async () => {
    const provider = await against(
      (response, { socket }) => void response.writeHead(429, { "content-length": 100 }).write("busy", () => socket.destroy()),
    );
    expect((await fail(provider)).error.code).toBe("MODEL_RATE_LIMITED");
  });

  it("and never ends its explanation is not waited for", async () => {
    const clock = createStillClock();
    const server = await serve((response) => void response.writeHead(503).write("busy"));
    const failed = fail(provide(server.baseUrl, { clock }));
    await server.arrival();
    await until(() => clock.pending > 0 && moveUntilSettled(clock, failed, 500));
    expect((await failed).error.code).toBe("MODEL_OVERLOADED");
  });
});

describe("a stream that goes wrong", () => {
  it.each<readonly [name: string, error: unknown, code: string]>([
    ["a status number", { message: "slow down", code: 429 }, "MODEL_RATE_LIMITED"],
    ["a status as text", { message: "busy", code: "503" }, "MODEL_OVERLOADED"],
    ["a word", { message: "slow", type: "rate_limit_exceeded" }, "MODEL_RATE_LIMITED"],
    ["the context length", { message: "maximum context length", type: "invalid_request_error" }, "MODEL_CONTEXT_OVERFLOW"],
    ["only text", "it broke", "MODEL_OVERLOADED"],
  ])("by an error object with %s fails after what was streamed", async (_name, error, code) => {
    const provider = await against((response) =>
      sendStream(response, piece({ content: "Half" }) + `data: ${JSON.stringify({ error })}\n\n`),
    );
    const result = await fail(provider);
    expect([result.text, result.error.code]).toEqual(["Half", code]);
    expect(result.error.message).not.toMatch(/slow|busy|broke/);
  });

  it.each([
    ["as a JSON answer", () => '{"error":{"message":"no","code":401}}', "MODEL_AUTH"],
    ["as an event named error", () => 'event: error\ndata: {"message":"x","code":529}\n\n', "MODEL_OVERLOADED"],
    ["as vLLM writes it", () => 'data: {"object":"error","message":"x","code":400}\n\n', "MODEL_BAD_REQUEST"],
    ["as a finish reason", () => piece({ content: "" }, "error"), "MODEL_OVERLOADED"],
  ])("by an error %s fails too", async (_name, body, code) => {
    expect((await fail(await against((response) => sendStream(response, body())))).error.code).toBe(code);
  });

  it("by an error after the whole answer is a whole answer", async () => {
    const provider = await against((response) =>
      sendStream(response, piece({ content: "All" }, "stop") + 'data: {"error":{"message":"late"}}\n\n'),
    );
    const { text, end } = await collect(provider.stream(ask()));
    expect([text, end?.type]).toEqual(["All", "end"]);
  });

  it.each([
    ["ends without a finish reason", piece({ content: "Half" })],
    ["says DONE without a finish reason", `${piece({ content: "Half" })}data: [DONE]\n\n`],
    ["ends in the middle of an event", piece({ content: "Half" }) + piece({ content: "lost" }).slice(0, 60)],
  ])("because it %s is an error, not an answer", async (_name, body) => {
    const { text, error } = await fail(await against((response) => sendStream(response, body)));
    expect([text, error.code, error.retryable]).toEqual(["Half", "MODEL_NETWORK", true]);
  });

  it("because the connection breaks is an error after what was streamed", async () => {
    const server = await serve((response, { socket }) => {
      response.writeHead(200);
      response.write(piece({ content: "Half" }), () => socket.resetAndDestroy());
    });
    const { error } = await fail(provide(server.baseUrl));
    expect([error.code, error.retryable]).toEqual(["MODEL_NETWORK", true]);
  });

  it("because the connection breaks before any answer is an error", async () => {
    const { error } = await fail(await against((_response, { socket }) => void socket.resetAndDestroy()));
    expect([error.code, error.retryable]).toEqual(["MODEL_NETWORK", true]);
  });

  it("when it breaks after the finish reason is a whole answer", async () => {
    const provider = await against((response, { socket }) => {
      response.writeHead(200);
      response.write(piece({ content: "All" }, "stop"), () => socket.end());
    });
    const { text, end, error } = await collect(provider.stream(ask()));
    expect([text, end?.type, error]).toEqual(["All", "end", undefined]);
  });

  it.each([
    ["a web page", "<!doctype html><title>Login</title>", "MODEL_BAD_RESPONSE"],
    ["JSON of something else", '{"hello":1}', "MODEL_BAD_RESPONSE"],
    ["a list", "[]", "MODEL_BAD_RESPONSE"],
    ["plain text", "OK", "MODEL_BAD_RESPONSE"],
    ["events that are not JSON", "data: hello\n\n", "MODEL_BAD_RESPONSE"],
    ["half a JSON text", '{"choices":[{"mess', "MODEL_NETWORK"],
    ["nothing", "", "MODEL_NETWORK"],
  ])("because it is %s is an error", async (_name, body, code) => {
    expect((await fail(await against((response) => void response.writeHead(200).end(body)))).error.code).toBe(code);
  });

  it("because one event never ends is stopped", async () => {
    const provider = await against((response) => {
      response.writeHead(200).write("data: ");
      pour(response, "x".repeat(60_000));
    });
    expect((await fail(provider)).error.code).toBe("MODEL_BAD_RESPONSE");
  });
});

describe("a server that cannot be reached", () => {
  it("because nothing listens says so", async () => {
    const server = await serve(() => {});
    await server.close();
    closers.length = 0;
    const { error } = await fail(provide(server.baseUrl));
    expect([error.code, error.retryable]).toEqual(["MODEL_NETWORK", true]);
    expect(error.hint).toContain("Nothing listens");
  });

  it("because it does not speak HTTP is an error", async () => {
    const port = await listen((socket) => void socket.end("SSH-2.0-OpenSSH\r\n"));
    expect((await fail(provide(`http://127.0.0.1:${port}`))).error.code).toBe("MODEL_NETWORK");
  });

  it("because the key contains a line break is told apart from a network fault", async () => {
    const { error } = await fail(provide("http://127.0.0.1:9", { apiKey: "ab\ncd" }));
    expect([error.code, error.retryable]).toEqual(["MODEL_NETWORK", false]);
    expect(error.hint).toContain("apiKey");
  });

  it("after the provider was closed is an error, not a hang", async () => {
    const server = await serve((response) => sendStream(response, textStream("ok")));
    const provider = provide(server.baseUrl);
    await collect(provider.stream(ask()));
    await provider.close?.();
    expect((await fail(provider)).error.code).toBe("MODEL_NETWORK");
  });

  it.each(["localhost:11434", "ftp://x/v1", "", "http://user:pass@host/v1"])(
    "because baseUrl is %j is refused at once, without repeating it",
    (baseUrl) => {
      expect(() => provide(baseUrl)).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID", hint: expect.not.stringContaining("pass@") }),
      );
    },
  );

  it("except through a proxy is reached through it", async () => {
    const server = await serve((response) => sendStream(response, textStream("ok")));
    const target = new URL(server.baseUrl);
    const proxy = createHttpServer();
    const asked: string[] = [];
    proxy.on("connect", (request, socket) => {
      asked.push(request.url ?? "");
      const upstream = connect(Number(target.port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on("error", () => {});
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    closers.push(() => proxy.close());
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const remote = provide("http://models.invalid/v1", { proxy: address });
    expect((await collect(remote.stream(ask()))).text).toBe("ok");
    expect(asked).toEqual(["models.invalid:80"]);
    expect((await collect(provide(server.baseUrl, { proxy: address }).stream(ask()))).text).toBe("ok");
    expect(asked).toHaveLength(1);
  });
});

describe("a server that hangs", () => {
  const timeouts = { connectMs: 10, firstByteMs: 20, idleMs: 30, totalMs: 1000 };

  it("while connecting is given up", async () => {
    const clock = createStillClock();
    const accepted = createSignal();
    const port = await listen(() => accepted.resolve());
    const failed = fail(provide(`https://127.0.0.1:${port}/v1`, { clock, timeouts: { ...timeouts, connectMs: 500 } }));
    await accepted.promise;
    clock.advance(500);
    const { error } = await failed;
    expect([error.code, error.retryable]).toEqual(["MODEL_NETWORK", true]);
  });

  it("before its first byte is given up, with or without headers", async () => {
    for (const headers of [false, true]) {
      const clock = createStillClock();
      const server = await serve((response) => void (headers && response.writeHead(200).flushHeaders()));
      const failed = fail(provide(server.baseUrl, { clock, timeouts }));
      const { socket } = await server.arrival();
      clock.advance(19);
      expect(clock.pending).toBe(1);
      clock.advance(1);
      const { error } = await failed;
      expect([error.code, error.retryable, error.detail["limit"]]).toEqual(["MODEL_TIMEOUT", true, "firstByteMs"]);
      await server.gone(socket);
    }
  });

  it("in the middle is given up after what was streamed, and keep-alive comments count as life", async () => {
    const clock = createStillClock();
    let write = (_text: string): void => {};
    const server = await serve((response) => {
      response.writeHead(200);
      write = (text) => void response.write(text);
      write(piece({ content: "a" }));
    });
    const events = provide(server.baseUrl, { clock, timeouts }).stream(ask())[Symbol.asyncIterator]();
    await events.next();
    clock.advance(29);
    const next = events.next();
    write(`: ping\n\n${piece({ content: "b" })}`);
    expect((await next).value).toEqual({ type: "text", delta: "b" });
    const last = events.next();
    clock.advance(29);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    await expect(last).rejects.toMatchObject({ code: "MODEL_TIMEOUT", detail: { limit: "idleMs", ms: 30 } });
    await server.gone((await server.arrival()).socket);
    expect(clock.pending).toBe(0);
  });

  it("and only sends signs of life meets the limit of the whole call", async () => {
    const clock = createStillClock();
    let write = (): void => {};
    const server = await serve((response) => {
      response.writeHead(200);
      write = () => void response.write(piece({ content: "." }));
      write();
    });
    const events = provide(server.baseUrl, { clock, timeouts: { ...timeouts, totalMs: 100 } })
      .stream(ask())
      [Symbol.asyncIterator]();
    for (let spent = 0; spent < 100; spent += 20) {
      await events.next();
      clock.advance(20);
      write();
    }
    const rest = async (): Promise<void> => {
      while (!(await events.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: "MODEL_TIMEOUT", detail: { limit: "totalMs" } });
  });

  it("after the finish reason has given a whole answer", async () => {
    const clock = createStillClock();
    const server = await serve((response) => void response.writeHead(200).write(piece({ content: "All" }, "stop")));
    const events = provide(server.baseUrl, { clock }).stream(ask())[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", delta: "All" });
    const end = events.next();
    await until(() => moveUntilSettled(clock, end, 500));
    expect((await end).value).toEqual({ type: "end", reason: "stop" });
  });
});

describe("an abort", () => {
  const reason = new Error("stopped by the user");

  it("before the call sends nothing", async () => {
    const server = await serve(() => {});
    expect((await collect(provide(server.baseUrl).stream(ask({ signal: AbortSignal.abort(reason) })))).error).toBe(reason);
    expect(server.seen).toHaveLength(0);
  });

  it("while connecting takes effect at once, and nothing is sent later", async () => {
    const accepted = createSignal();
    const port = await listen(() => accepted.resolve());
    const abort = new AbortController();
    const result = collect(provide(`https://127.0.0.1:${port}/v1`).stream(ask({ signal: abort.signal })));
    await accepted.promise;
    abort.abort(reason);
    expect((await result).error).toBe(reason);
  });

  it("while waiting for headers cuts the connection", async () => {
    const server = await serve(() => {});
    const abort = new AbortController();
    const result = collect(provide(server.baseUrl).stream(ask({ signal: abort.signal })));
    const { socket } = await server.arrival();
    abort.abort(reason);
    expect((await result).error).toBe(reason);
    await server.gone(socket);
  });

  it("while streaming cuts the connection and drops what waits", async () => {
    const server = await serve((response) => void response.writeHead(200).write(piece({ content: "a" })));
    const abort = new AbortController();
    const events = provide(server.baseUrl)
      .stream(ask({ signal: abort.signal }))
      [Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    await server.gone((await server.arrival()).socket);
  });

  it("while an error's body is read is still an abort", async () => {
    const written = createSignal();
    const server = await serve((response) => void response.writeHead(500).write("x", () => written.resolve()));
    const abort = new AbortController();
    const result = collect(provide(server.baseUrl).stream(ask({ signal: abort.signal })));
    await written.promise;
    abort.abort(reason);
    expect((await result).error).toBe(reason);
  });

  it("by leaving the loop cuts the connection too", async () => {
    const server = await serve((response) => void response.writeHead(200).write(piece({ content: "a" })));
    for await (const event of provide(server.baseUrl).stream(ask())) if (event.type === "text") break;
    await server.gone((await server.arrival()).socket);
  });
});

/** A plain TCP server that says nothing unless told to; gives its port. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function createSignal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Moves the clock a little per round until the promise settles; for waits whose start the test cannot see. */
async function moveUntilSettled(clock: { advance(ms: number): void }, promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  clock.advance(ms);
  return Promise.race([settled, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5))]);
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) if (performance.now() > deadline) throw new Error("the condition did not come true in 10 s");
}
