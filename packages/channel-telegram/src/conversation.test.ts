import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSupergroupId, telegramConversation as rules } from "./conversation.ts";

const digits = fc.integer({ min: 1, max: 999_999_999_999 }).map(String);
const conversation = fc
  .record({ chat: digits, group: fc.boolean(), topic: fc.option(digits, { nil: undefined }) })
  .map(({ chat, group, topic }) => ({
    kind: group ? ("group" as const) : ("direct" as const),
    id: group ? `-${chat}` : chat,
    ...(topic === undefined ? {} : { threadId: topic }),
  }));

describe("conversation ids of Telegram", () => {
  it("parse what they format, whatever the id", () => {
    fc.assert(fc.property(conversation, (id) => void expect(rules.parse(rules.format(id))).toEqual(id)));
  });

  it("parse nothing else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = rules.parse(text);
        if (id !== undefined) expect(rules.format(id)).toBe(text);
      }),
    );
    for (const text of ["", "0", "-", "12:", "12:0", "1:2:3", "-100x", "@ann", "1e5", " 12"])
      expect(rules.parse(text), text).toBeUndefined();
  });

  it("read groups and people from the sign", () => {
    expect(rules.parse("-1001234567890:5")).toEqual({ kind: "group", id: "-1001234567890", threadId: "5" });
    expect(rules.parse("42")).toEqual({ kind: "direct", id: "42" });
  });

  it("accept raw ids as targets and drop the topic General", () => {
    expect(rules.normalizeTarget(" telegram:-1001234567890:1 ")).toEqual({ ok: true, id: { kind: "group", id: "-1001234567890" } });
    expect(rules.normalizeTarget("77")).toEqual({ ok: true, id: { kind: "direct", id: "77" } });
  });

  it("refuse names with a way to find the id", () => {
    expect(rules.normalizeTarget("@ann")).toMatchObject({
      ok: false,
      reason: "unsupported",
      hint: expect.stringContaining("numeric id") as string,
    });
    expect(rules.normalizeTarget("https://t.me/ann")).toMatchObject({ ok: false, reason: "unsupported" });
    expect(rules.normalizeTarget("the team")).toMatchObject({ ok: false, reason: "malformed" });
  });

  it("want an id behind the title of a group, not behind a person's name", () => {
    const ref = { channel: "telegram", account: "main", id: "-5" };
    expect(rules.labelNeedsId({ ...ref, kind: "group" })).toBe(true);
    expect(rules.labelNeedsId({ ...ref, kind: "direct", id: "5" })).toBe(false);
  });

  it("know supergroups, whose message ids count for themselves", () => {
    expect(isSupergroupId("-1001234567890")).toBe(true);
    expect(isSupergroupId("-4123456")).toBe(false);
    expect(isSupergroupId("1001234567890")).toBe(false);
  });
});
