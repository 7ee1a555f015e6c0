import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelMessage, ModelRequest } from "@trunkline/plugin-sdk";
import { createDemoProvider } from "./demo.ts";
import { DEMO_SCRIPT } from "./demo-script.ts";
import { createStillClock } from "./fake-openai.ts";

const NOW = { name: "now", description: "The time.", parameters: { type: "object" } };

function ask(text: string, options: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "guide",
    messages: [
      { role: "system", text: "Be kind, and show an error in a table." },
      { role: "user", text },
    ],
    tools: [NOW],
    thinking: "off",
    signal: new AbortController().signal,
    ...options,
  };
}

async function play(request: ModelRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of createDemoProvider({ clock: createStillClock(), pieceMs: 0 }).stream(request)) events.push(event);
  return events;
}

async function answer(text: string, options: Partial<ModelRequest> = {}): Promise<string> {
  return (await play(ask(text, options))).map((event) => (event.type === "text" ? event.delta : "")).join("");
}

describe("the demo", () => {
  it("greets, says that it is a script, and lists what to try", async () => {
    const text = await answer("Hello!");
    expect(text).toContain("Trunkline");
    expect(text).toContain("scripted demo, not an AI model");
    for (const { word, shows } of DEMO_SCRIPT) if (shows !== "") expect(text).toContain(`\`${word}\``);
  });

  it.each([
    ["show me a table", /\n\|---\|---\|---:\|\n/],
    ["some code please", /```ts\n[^]+\n```/],
    ["please stream", /^Watch/],
    ["stay silent", /^NO_REPLY$/],
    ["Silent.", /^NO_REPLY$/],
    ["what is this thing for", /You wrote: “what is this thing for”/],
    ["", /You wrote: “”/],
  ])("answers “%s” as the script says", async (said, pattern) => {
    expect(await answer(said)).toMatch(pattern);
  });

  it("writes a long answer of several thousand characters with headings and lists", async () => {
    const text = await answer("something long");
    expect(text.length).toBeGreaterThan(4500);
    expect(text.match(/^## /gm)).toHaveLength(6);
    expect(text.match(/^- /gm)?.length).toBeGreaterThan(10);
  });

  it("answers every word of its own list with something other than the default", async () => {
    for (const { word } of DEMO_SCRIPT) if (word !== "error" && word !== "time") expect(await answer(word)).not.toContain("You wrote");
  });

  it("asks the clock by a tool call, and answers with what the clock says", async () => {
    const request = ask("what time is it?");
    const [call, end] = await play(request);
    expect(call).toEqual({ type: "tool-call", call: { id: "demo_2", name: "now", args: "{}" } });
    expect(end).toMatchObject({ type: "end", reason: "tool-calls" });
    const messages: ModelMessage[] = [
      ...request.messages,
      { role: "assistant", text: "", toolCalls: [{ id: "demo_2", name: "now", args: "{}" }] },
      { role: "tool", callId: "demo_2", name: "now", text: "Monday noon" },
    ];
    expect(await answer("", { messages })).toContain("**Monday noon**");
  });

  it("says so when the clock is not offered, or fails", async () => {
    expect(await answer("time", { tools: [] })).toContain("may not use it");
    const messages: ModelMessage[] = [
      { role: "user", text: "time" },
      { role: "tool", callId: "x", name: "now", text: "no battery", isError: true },
    ];
    expect(await answer("", { messages })).toContain("it failed: no battery");
  });

  it("does not take an old tool result for the answer to a new message", async () => {
    const messages: ModelMessage[] = [
      { role: "user", text: "time" },
      { role: "tool", callId: "x", name: "now", text: "noon" },
      { role: "assistant", text: "Noon." },
      { role: "user", text: "show me a table" },
    ];
    expect(await answer("", { messages })).toContain("|---|");
  });

  it("counts the messages of the conversation", async () => {
    const messages = (count: number): ModelMessage[] =>
      Array.from(
        { length: count },
        () =>
          [
            { role: "user", text: "hello" },
            { role: "assistant", text: "Hi." },
          ] as const,
      )
        .flat()
        .slice(0, -1) as ModelMessage[];
    for (const [count, word] of [
      [1, "1st"],
      [2, "2nd"],
      [3, "3rd"],
      [4, "4th"],
      [11, "11th"],
      [22, "22nd"],
      [112, "112th"],
    ] as const) {
      expect(await answer("", { messages: messages(count) })).toContain(`your ${word} message in this conversation`);
    }
  });

  it("names the files that came with a message, and what kind an image is", async () => {
    const messages: ModelMessage[] = [
      {
        role: "user",
        text: "(attached file: Grüße 2.pdf)\n(attached file: photo.jpg)",
        images: [{ mimeType: "image/jpeg", base64: "A".repeat(4096) }],
      },
    ];
    const text = await answer("", { messages });
    for (const part of ["2.pdf", "`photo.jpg`", "image/jpeg, about 3 kB", "cannot look inside"]) expect(text).toContain(part);
  });

  it("listens to the person's words only, not to the lines around them", async () => {
    expect(await answer("Mr Table says:\n(in reply to: some code)\nhello")).toContain("Trunkline");
  });

  it("shows an error when asked for one, but not in passing", async () => {
    await expect(play(ask("show me an error"))).rejects.toMatchObject({
      code: "MODEL_OVERLOADED",
      retryable: false,
      hint: expect.stringContaining("You asked the demo"),
    });
    expect(await answer("my program printed an error when I started it today")).toContain("You wrote");
  });

  it("quotes hostile text without its markup and without half characters", async () => {
    const text = await answer(`<b>**[x](http://x)** {list} ${"👋".repeat(300)}`);
    const quoted = /“([^]*?)”/.exec(text)?.[1] ?? "";
    expect(quoted).not.toMatch(/[<*[\]`]/);
    expect(quoted).toContain("{list}");
    expect(quoted.isWellFormed()).toBe(true);
  });

  it("has one model", async () => {
    await expect(play(ask("hello", { model: "gpt" }))).rejects.toMatchObject({
      code: "MODEL_UNKNOWN",
      hint: expect.stringContaining("demo/guide"),
    });
  });

  it("answers the same each time, in pieces of whole words with time between them", async () => {
    const clock = createStillClock();
    const events: ModelEvent[] = [];
    const stream = createDemoProvider({ clock }).stream(ask("please stream"))[Symbol.asyncIterator]();
    events.push((await stream.next()).value);
    const second = stream.next();
    expect(await Promise.race([second, new Promise((resolve) => setImmediate(() => resolve("nothing yet")))])).toBe("nothing yet");
    clock.advance(15);
    expect(await second).toMatchObject({ value: { type: "text", delta: " this" } });
    expect(await answer("please stream")).toBe(await answer("please stream"));
  });

  it("takes at most a few seconds for its longest answer", async () => {
    const pieces = (await play(ask("long"))).filter(({ type }) => type === "text");
    expect(pieces.length).toBeLessThanOrEqual(150);
  });

  it("stops at once when it is aborted between two pieces", async () => {
    const abort = new AbortController();
    const stream = createDemoProvider({ clock: createStillClock() })
      .stream(ask("hello", { signal: abort.signal }))
      [Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    abort.abort(new Error("stopped"));
    await expect(next).rejects.toThrow("stopped");
  });
});
