import { describe, expect, it } from "vitest";
import { slackConversation } from "./conversation.ts";

const { format, parse, normalizeTarget, labelNeedsId, caseSensitive } = slackConversation;

describe("conversations of Slack", () => {
  it.each([
    ["C0123ABC", { kind: "channel", id: "C0123ABC" }],
    ["G0123ABC", { kind: "group", id: "G0123ABC" }],
    ["D0123ABC", { kind: "direct", id: "D0123ABC" }],
    ["C0123ABC:1700000000.000100", { kind: "channel", id: "C0123ABC", threadId: "1700000000.000100" }],
  ] as const)("are written as %s", (text, id) => {
    expect(parse(text)).toEqual(id);
    expect(format(id)).toBe(text);
  });

  it.each([
    "",
    "c0123abc",
    "U0123ABC",
    "C0123ABC:",
    "C0123ABC:1700000000",
    "C0123ABC:1.7e9",
    "C0123ABC:1700000000.0001",
    "C0123ABC:1700000000.000100:x",
  ])("are not %j: a thread is the ts of its first message, as it is, and never a number", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it("are told apart by case, and keep a ts to its last digit", () => {
    expect(caseSensitive).toBe(true);
    expect(parse("C0123ABC:1700000000.000100")?.threadId).toBe("1700000000.000100");
    expect(parse("C0123ABC:1700000000.000101")?.threadId).not.toBe("1700000000.000100");
  });

  it("are found by id and by the token that Slack makes of a channel, not by a name", () => {
    expect(normalizeTarget(" slack:C0123ABC ")).toEqual({ ok: true, id: { kind: "channel", id: "C0123ABC" } });
    expect(normalizeTarget("<#C0123ABC|general>")).toEqual({ ok: true, id: { kind: "channel", id: "C0123ABC" } });
    for (const target of ["#general", "@ann", "<@U0123ABC>"])
      expect(normalizeTarget(target)).toMatchObject({ ok: false, reason: "unsupported" });
    expect(normalizeTarget("general")).toMatchObject({ ok: false, reason: "malformed" });
  });

  it("need an id beside their name only where names are made up", () => {
    const ref = { channel: "slack", account: "main", id: "C1" };
    expect(labelNeedsId({ ...ref, kind: "channel" })).toBe(false);
    expect(labelNeedsId({ ...ref, kind: "direct" })).toBe(false);
    expect(labelNeedsId({ ...ref, kind: "group" })).toBe(true);
  });
});
