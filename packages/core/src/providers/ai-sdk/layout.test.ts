import { describe, expect, it } from "vitest";
import type { ModelMessage } from "@trunkline/plugin-sdk";
import { type Layout, toAssistantContent } from "./layout.ts";

const call = { id: "c1", name: "now", args: '{"zone":"UTC"}' };
const sdkCall = { type: "tool-call", toolCallId: "c1", toolName: "now", input: { zone: "UTC" } };
const meta = { v: { sig: "S" } };

function answer(text: string, data: unknown, toolCalls = [call]): ModelMessage & { role: "assistant" } {
  return { role: "assistant", text, toolCalls, opaque: { model: "p/m", data } };
}

describe("an answer that goes back to its provider", () => {
  it("has its blocks in their order, each with what was attached", () => {
    const layout: Layout = [
      { type: "reasoning", text: "Hm.", meta },
      { type: "text", chars: 3, meta },
      { type: "call", id: "c1", meta },
      { type: "text", chars: 4 },
    ];
    expect(toAssistantContent(answer("Now the", layout))).toEqual([
      { type: "reasoning", text: "Hm.", providerOptions: meta },
      { type: "text", text: "Now", providerOptions: meta },
      { ...sdkCall, providerOptions: meta },
      { type: "text", text: " the" },
    ]);
  });

  it("has its text as one when that was changed since", () => {
    const layout: Layout = [
      { type: "reasoning", text: "Hm.", meta },
      { type: "text", chars: 3, meta },
      { type: "call", id: "c1", meta },
    ];
    expect(toAssistantContent(answer("Another text", layout))).toEqual([
      { type: "reasoning", text: "Hm.", providerOptions: meta },
      { type: "text", text: "Another text" },
      { ...sdkCall, providerOptions: meta },
    ]);
  });

  it("is plain when nothing was attached, or what was attached cannot be read", () => {
    const plain = [{ type: "text", text: "Hi." }, sdkCall];
    expect(toAssistantContent({ role: "assistant", text: "Hi.", toolCalls: [call] })).toEqual(plain);
    for (const data of [null, "x", [{ type: "text", chars: "3" }], [{ type: "call" }], [{ type: "reasoning", text: "x", meta: 5 }], [5]])
      expect(toAssistantContent(answer("Hi.", data))).toEqual(plain);
  });

  it("has every call once, also one that the layout names twice, not, or wrongly", () => {
    const layout: Layout = [
      { type: "call", id: "c1", meta },
      { type: "call", id: "c1" },
      { type: "call", id: "gone" },
    ];
    expect(toAssistantContent(answer("", layout, [call, { ...call, id: "c2" }]))).toEqual([
      { ...sdkCall, providerOptions: meta },
      { ...sdkCall, toolCallId: "c2" },
    ]);
  });

  it("is left out when it has reasoning only", () => {
    expect(toAssistantContent(answer("", [{ type: "reasoning", text: "Hm.", meta }], []))).toEqual([]);
  });
});
