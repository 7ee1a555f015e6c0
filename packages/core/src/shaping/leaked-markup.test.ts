import { describe, expect, it } from "vitest";
import { mayBecomeJsonCall, removeLeakedMarkup } from "./leaked-markup.ts";

describe("tool calls written as text", () => {
  it.each([
    ["Let me look.\n<tool_call>\n<function=exec>\n<parameter=command>ls</parameter>\n</function>\n</tool_call>", "Let me look."],
    ['<invoke name="exec"><parameter name="command">ls</parameter></invoke>', ""],
    ['<tool_call>{"name":"x"}</tool_call>ok', "ok"],
    ['Wait. <function_calls><invoke name="a"></invoke></function_calls> Done.', "Wait. Done."],
    ["Wait.\n<tool_call>\nnever closed", "Wait."],
    ['Installing now.\n{"tool_calls":[{"function":{"name":"process","arguments":"{\\"action\\":\\"poll\\"}"}}]}', "Installing now."],
    ['{"tool_calls":[{"a":"}"}]}\nDone', "Done"],
    ['Wait.\n{ "tool_calls": [', "Wait."],
    ["a</tool_call> b", "a b"],
    ['[{"tool_calls":[]}]', ""],
    ['Wait.\n{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}', "Wait."],
    ['{"type":"tool_use","id":"t1","name":"exec","input":{"a":[1]}}', ""],
    ['{"type": "function", "function": {"name":"x"}}', ""],
    ['{"name":"exec","arguments":{"command":"ls"}}', ""],
  ])("%j shows %j", (text, expected) => {
    expect(removeLeakedMarkup(text)).toBe(expected);
  });

  it.each([
    '{"name":"Ada","age":36}',
    '{ "tool_use": "drill", "hours": 3 }',
    '{"type":"function","name":"sine"}',
    '```json\n{"tool_calls":[]}\n```',
    "`<tool_call>` begins a call.",
    "A <function> or a <parameter> in prose.",
    'The key {"tool_calls": []} in a sentence.',
  ])("%j is text", (text) => {
    expect(removeLeakedMarkup(text)).toBe(text);
  });

  it.each([
    ["{", true],
    ['{"tool', true],
    ['{ "tool_calls" ', true],
    ['{"tool_calls": [', true],
    ['{"name', false],
    ["{ a", false],
    ["text", false],
  ])("the line %j may still become one: %s", (line, expected) => {
    expect(mayBecomeJsonCall(line)).toBe(expected);
  });
});
