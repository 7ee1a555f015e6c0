import { describe, expect, it } from "vitest";
import { removeSpecialTokens } from "./special-tokens.ts";

describe("control tokens of models", () => {
  it.each([
    ["<|im_start|>assistant\nHello<|im_end|>", "Hello"],
    ["Hello<|im_end|>\n<|im_start|>user\n", "Hello"],
    ["Hello<|eot_id|>", "Hello"],
    ["<|start_header_id|>assistant<|end_header_id|>\n\nHello<|EOT_ID|>", "Hello"],
    ["<start_of_turn>model\nHello<end_of_turn>", "Hello"],
    ["[INST] <<SYS>>Hello<</SYS>> [/INST]", "Hello"],
    ["<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>", "Hello"],
    ["<|channel|>commentary to=functions.exec <|constrain|>json<|message|>{}<|call|>", ""],
    ["<|channel|>analysis<|message|>secret", ""],
    ["<|channel|>final<|message|>Hello", "Hello"],
    ['Wait.[TOOL_CALLS][{"name":"x","arguments":{}}]', "Wait."],
    ['[TOOL_CALLS]exec[ARGS]{"command":"ls"}', ""],
    ["Wait. [tool_calls]", "Wait."],
    ["Wait.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>x<｜tool▁call▁end｜><｜tool▁calls▁end｜> Done.", "Wait. Done."],
    ["Wait.<|tool_calls_section_begin|><|tool_call_begin|>functions.x:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "Wait."],
    ["Wait.<|python_tag|>brave_search.call(query)<|eom_id|>", "Wait."],
    ['Wait.<|tool_call|>[{"name":"x"}]<|/tool_call|>', "Wait."],
    ["<｜end▁of▁sentence｜>Hello", "Hello"],
  ])("%j shows %j", (text, expected) => {
    expect(removeSpecialTokens(text).trim()).toBe(expected);
  });

  it.each([
    "`<|im_start|>` begins a turn.",
    "```\n<|im_start|>user\n[TOOL_CALLS][]\n```",
    "The [TOOL_CALLS] token of Mistral begins a call.",
    "a <| f |> b",
    "a || b, <b>x</b>, [1], [a](b)",
    "1 < |x| > 2",
  ])("%j is text", (text) => {
    expect(removeSpecialTokens(text)).toBe(text);
  });
});
