import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReplyDirectives } from "./directives.ts";
import { guardControlText } from "./egress-guard.ts";
import { normalizeReplyPayloadsForDelivery } from "./payloads.ts";
import { previewText } from "./preview.ts";
import { shapeReply, type ShapeContext } from "./shape.ts";

const context: ShapeContext = {
  currentMessageId: "7",
  silentToken: "NO_REPLY",
  mediaAllowed: (url) => (url.includes("secret") ? null : url),
};

/** Pieces that hostile or clumsy model output is made of. */
const piece = fc.constantFrom(
  "[[reply_to_current]]",
  "[[reply_to:5]]",
  "[[reply_to",
  ":5]]",
  "[[",
  "]]",
  "[[audio_as_voice]]",
  "_current",
  '<REPLY_TO id="5">',
  "<REPLY_TO current=true>",
  "<SILENT>",
  "</SILENT>",
  "<MEDIA_URL>",
  "</MEDIA_URL>",
  "./a.png",
  "./secret.png",
  "MEDIA:",
  "MEDIA: ./a.png",
  "<think>",
  "</think>",
  "<thi",
  "nk>",
  "< /thinking >",
  "<final>",
  "</final>",
  "<tool_call>",
  "</tool_call>",
  '{"tool_calls":[',
  "]}",
  "<|im_start|>",
  "<|channel|>",
  "analysis",
  "<|message|>",
  "<|end|>",
  "assistant",
  "<|",
  "|>",
  "[TOOL_CALLS]",
  "[{",
  "<｜tool▁call▁begin｜>",
  "<|tool_call_end|>",
  "NO_REPLY",
  "no_",
  "REPLY",
  "HEARTBEAT_OK",
  "HEART",
  "`",
  "``",
  "```",
  "~~~",
  "\n",
  "\n\n",
  " ",
  "    ",
  "\t",
  "> ",
  "- ",
  "*",
  "**",
  "<b>",
  "</b>",
  ".",
  "!",
  "好",
  "word",
  "😀",
  "\\",
  "<",
  ">",
  "\r\n",
  "\u200b",
);
const hostile = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
const ordinary = fc
  .array(
    fc.constantFrom(
      "word",
      " ",
      "\n",
      ", ",
      ". ",
      "**bold**",
      "`code`",
      "```\nx\n```\n",
      "好",
      "😀",
      "[link](https://e.org)",
      "- item\n",
      "a < b",
      "  ",
      "[x]",
    ),
    {
      maxLength: 20,
    },
  )
  .map((pieces) => pieces.join(""));

describe("shaping", () => {
  it("of a shaped reply changes nothing", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const first = shapeReply({ text }, context);
        if ("dropped" in first) return;
        expect(shapeReply(first.payload, context)).toEqual(first);
        expect(guardControlText(first.payload.text ?? "", context).acted).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it("leaves ordinary text byte for byte", () => {
    fc.assert(
      fc.property(ordinary, (text) => {
        fc.pre(text.trim() !== "");
        expect(shapeReply({ text }, context)).toMatchObject({ payload: { text } });
        expect(parseReplyDirectives(text).text).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("leaves whatever is in a fence byte for byte", () => {
    fc.assert(
      fc.property(hostile, (inner) => {
        const text = `See:\n\`\`\`\`\`\`\n${inner.replaceAll("`", "'")}\n\`\`\`\`\`\`\nend`;
        expect(shapeReply({ text }, context)).toMatchObject({ payload: { text } });
      }),
      { numRuns: 1000 },
    );
  });

  it("normalises for delivery idempotently", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 3 }), (texts) => {
        const once = normalizeReplyPayloadsForDelivery(texts.map((text) => ({ text })));
        expect(normalizeReplyPayloadsForDelivery(once)).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        shapeReply({ text }, context);
        previewText(text, context);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the preview", () => {
  const answers = [
    "NO_REPLY",
    "**NO_REPLY**",
    "HEARTBEAT_OK",
    "Done. NO_REPLY",
    "Answer\nNO_REPLY",
    "[[reply_to_current]] Hello",
    "Hello [[ reply_to : 42 ]]",
    "<think>secret plan</think>Hello",
    "<thinking mode='x'>secret</thinking>\n\nHello",
    "<final>Hello</final>",
    "Look:\nMEDIA: ./control.png\nDone",
    "Hello\n<MEDIA_URL>https://e.org/control.png</MEDIA_URL>",
    "<REPLY_TO current=true>\n<SILENT>secret</SILENT>\nHello",
    'Wait.\n<tool_call>{"name":"secret"}</tool_call>',
    'Wait.\n{"tool_calls":[{"name":"secret"}]}',
    "Fine HEARTBEAT_OK",
    "NO_REPLYNO_REPLY",
    "NO_REPLY NO_REPLY",
    "<|im_start|>assistant\nHello<|im_end|>",
    "<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>",
    'Wait.[TOOL_CALLS][{"name":"secret"}]',
    'Wait.[TOOL_CALLS]secret[ARGS]{"a":1}',
    "Wait.<｜tool▁calls▁begin｜>secret<｜tool▁calls▁end｜>",
    "Hello\nMEDIA:control",
  ];
  const forbidden = /NO_|N$|\[|HEART|<|>|secret|think|MEDIA|control|tool|\{|assistant|\|/;

  it.each(answers)("shows no part of a control token at any split of %j", (answer) => {
    for (let end = 0; end <= answer.length; end += 1) expect(previewText(answer.slice(0, end), context)).not.toMatch(forbidden);
  });

  it("shows nothing that the guard would take back", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (let end = 0; end <= text.length; end += 1) {
          expect(guardControlText(previewText(text.slice(0, end), context), context).acted).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("of a finished ordinary text is that text", () => {
    fc.assert(
      fc.property(ordinary, (text) => {
        const finished = `${text} end of it, really.`;
        expect(previewText(finished, context)).toBe(finished);
      }),
      { numRuns: 500 },
    );
  });
});

describe("hostile input of a megabyte is read in one go", () => {
  const times = (part: string) => part.repeat(Math.ceil(1_000_000 / part.length));
  it.each([
    ["opening tags", times("<think>")],
    ["closing tags", times("</think>")],
    ["closing tags on lines", times("</think>\n")],
    ["blocks that cut fences", times("<think>\n```\n</think>\n")],
    ["small blocks", times("<think>a</think>b ")],
    ["open brackets", times("[[reply_to:")],
    ["reply tags", times("[[reply_to:5]]")],
    ["tags on lines of their own", times("  [[reply_to:5]]\n")],
    ["media lines", times("MEDIA: ./a.png\n")],
    ["media tags", times("<MEDIA_URL>")],
    ["a media line of quotes", `MEDIA: ${times("\"'` ")}`],
    ["backticks", times("`")],
    ["backtick runs", times("` `` ``` ```` ")],
    ["angle brackets", times("< ")],
    ["an angle bracket and spaces", `<${times(" ")}`],
    ["silent tokens", times("NO_REPLY\n")],
    ["silent words", `a ${times(". NO_REPLY")}`],
    ["silent words after a long line", `${"x".repeat(500_000)}${". NO_REPLY".repeat(40_000)}`],
    ["both tokens in turn", times("NO_REPLY\nHEARTBEAT_OK\nx\nHEARTBEAT_OK\n")],
    ["heartbeat tokens", `a${times(" HEARTBEAT_OK")}b HEARTBEAT_OK`],
    ["special tokens", times("<|im_start|>")],
    ["calls in special tokens", times("<|tool_call_begin|>")],
    ["channels", times("<|channel|>x<|end|>")],
    ["bars", times("<|")],
    ["labels of prompts", times('(in reply to: "x")\n')],
    ["metadata", times("Sender (untrusted):\n```\n")],
    ["spaces", `a${times(" ")}b`],
    ["newlines", `a${times("\n")}b`],
    ["braces", times('\n{"tool_calls":')],
    ["indented tags after spaces", `${" ".repeat(500_000)}x${"[[reply:1]]".repeat(40_000)}`],
  ])("%s", (_name, text) => {
    shapeReply({ text }, context);
    previewText(text, context);
    parseReplyDirectives(text);
  });
});
