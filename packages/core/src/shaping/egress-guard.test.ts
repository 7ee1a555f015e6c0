import { describe, expect, it } from "vitest";
import { assertNoControlText, guardControlText } from "./egress-guard.ts";

const context = { silentToken: "NO_REPLY" };

describe("the last guard", () => {
  it.each([
    ["<think>x</think>Hi", "Hi", ["reasoning"]],
    ["[[reply_to:5]] Hi", "Hi", ["reply-tag"]],
    ["Hi. NO_REPLY", "Hi.", ["silent-token"]],
    ["NO_REPLY", "", ["silent-token"]],
    ["Hi HEARTBEAT_OK", "Hi", ["heartbeat-token"]],
    ["MEDIA: /etc/passwd\nHi", "Hi", ["media-directive"]],
    ["<tool_call>x</tool_call>ok", "ok", ["tool-markup"]],
  ])("turns %j into %j and says that it had to", (text, expected, found) => {
    expect(guardControlText(text, context)).toEqual({ text: expected, acted: true, found });
    expect(assertNoControlText(text, context)).toBe(expected);
  });

  it.each(["Hi", "", " a \n", "`<think>` in code", "A sentence that names NO_REPLY here."])("lets %j through untouched", (text) => {
    expect(guardControlText(text, context)).toEqual({ text, acted: false, found: [] });
  });

  it("breaks up tags that are nested too deep to be removed one by one", () => {
    let text = "[[reply_to_current]]";
    for (let depth = 0; depth < 40; depth += 1) text = `[[reply_to${text}_current]]`;
    const guarded = guardControlText(text, context);
    expect(guarded.acted).toBe(true);
    expect(guarded.text).not.toMatch(/\[\[/);
    expect(guardControlText(guarded.text, context).acted).toBe(false);
  });
});
