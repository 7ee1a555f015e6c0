import { describe, expect, it } from "vitest";
import { removeReasoning, shouldSuppressReasoningPayload, unwrapFinal } from "./reasoning.ts";

describe("reasoning tags", () => {
  it.each([
    ["<think>The user greets me.</think>Hello!", "Hello!"],
    ["<think>plan</think>\n\nAnswer", "Answer"],
    ["<thinking>a</thinking>b", "b"],
    ["<thought>a</thought>b", "b"],
    ["<reasoning>a</reasoning>b", "b"],
    ["<antthinking>a</antthinking>b", "b"],
    ["<ns:thinking>a</ns:thinking>b", "b"],
    ['<Think mode="deep">a</THINK>b', "b"],
    ["< THINK >a</ think >b", "b"],
    ["<think>1</think>A<think>2</think>B", "AB"],
    ["One <think>x</think> two", "One two"],
    ["Hi <think>plan", "Hi"],
    ["<think>step 1, step 2", ""],
    ["Hi <think", "Hi"],
    ["<think>a<think>b</think>c</think>d", "d"],
    ["<think>about the <think> tag</think>Answer", "Answer"],
    ["<think>a</thinking>b", "b"],
    ["<think/>b", "b"],
    ["a</think> b", "a b"],
    // Chat templates that open the block themselves leave only its end in the text.
    ["The user wants a greeting.\n</think>\n\nHello!", "Hello!"],
    ["The user wants a greeting.\n</think>Hello!", "Hello!"],
    ["Answer\n</think>", "Answer"],
    ["<think a='<'>x</think>b", "b"],
    ["<think=1>x</think>b", "b"],
    ["<a:b:think>x</a:b:think>c", "c"],
    ["<ns.x:think>x</ns.x:think>c", "c"],
    ['Hi <think mode="de', "Hi"],
    ["<think>I could write `</think>` here</think>Answer", "Answer"],
    ["<think>\n```js\nnever closed\n</think>\nAnswer\n```js\n[1]\n```", "Answer\n```js\n[1]\n```"],
    ["<think>\n```\n</think>\nUse `<think>` tags.", "Use `<think>` tags."],
    ["<think>\n```\n</think>\nA <think>secret</think>B", "A B"],
  ])("%j shows %j", (text, expected) => {
    expect(removeReasoning(text)).toBe(expected);
  });

  it.each([
    "  plain  ",
    "Use `<think>` and `</think>`.",
    "```xml\n<think>a</think>\n```",
    "a < b and thinking > doing",
    "Set max_tokens < thinking budget, else it fails.\n\nSecond paragraph.",
    "If max_tokens < thinking budget -> error. Fix it.",
    "Set max_tokens <thinking budget, else it fails.",
    "a < think of it",
    "if (x < reasoning && y > z) return",
    "<thinker>",
    "<b>think</b>",
  ])("%j is text", (text) => {
    expect(removeReasoning(text)).toBe(text);
  });
});

describe("final tags", () => {
  it.each([
    ["<final>Meeting moved to 3 pm.</final>", "Meeting moved to 3 pm."],
    ["<FINAL>\n  a\n</FINAL>", "  a"],
    ["`<final>` stays", "`<final>` stays"],
    ["the final result", "the final result"],
  ])("%j shows %j", (text, expected) => {
    expect(unwrapFinal(text)).toBe(expected);
  });
});

it("suppresses a payload of structured reasoning and no other", () => {
  expect(shouldSuppressReasoningPayload({ text: "I should be brief.", isReasoning: true })).toBe(true);
  expect(shouldSuppressReasoningPayload({ text: "Good morning", isReasoning: false })).toBe(false);
  expect(shouldSuppressReasoningPayload({ text: "Good morning" })).toBe(false);
});
