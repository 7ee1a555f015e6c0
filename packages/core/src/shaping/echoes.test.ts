import { describe, expect, it } from "vitest";
import { removeEchoes } from "./echoes.ts";

const envelope = 'Conversation info (untrusted metadata):\n```json\n{"chat_id":"t:1","message_id":"6"}\n```\n';

describe("an echo", () => {
  it.each([
    [`${envelope}\nHi!`, "Hi!"],
    [`${envelope}${envelope.replace("Conversation info", "Sender")}Hi!`, "Hi!"],
    ['(in reply to: "what \\"is\\" this?")\n(attached file: "a.png")\nHi!', "Hi!"],
    ['"Ann" says:\nHi!', "Hi!"],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', ""],
    ['{"error":{"message":"no credits","code":402}}', ""],
    ["<!DOCTYPE html><html><body>502</body></html>", ""],
    ['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', ""],
    ['HTTP 500: {"error":{"message":"no"}}', ""],
  ])("%j shows %j", (text, expected) => {
    expect(removeEchoes(text, '"Ann" says:\n')).toBe(expected);
  });

  it.each([
    '"Bob" says:\nHi!',
    '{"name":"Ada","age":36}',
    '{"type":"error"}',
    '{"status":"ok","error":"timeout at step 3","answer":42}',
    '{"error":"none","value":3}',
    "<html><body>my page</body></html>",
    'A body such as {"error":{"message":"x"}} means no.',
    "Conversation info (untrusted metadata): none",
    "<html> is a tag.",
    "(in reply to: you)",
  ])("%j is an answer", (text) => {
    expect(removeEchoes(text, '"Ann" says:\n')).toBe(text);
  });
});
