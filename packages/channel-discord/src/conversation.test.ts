import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discordConversation as rules } from "./conversation.ts";

const snowflake = fc.bigInt({ min: 10n ** 16n, max: 2n ** 64n - 1n }).map(String);
const conversation = fc.oneof(
  fc.record({ kind: fc.constantFrom("direct" as const, "group" as const, "channel" as const), id: snowflake }),
  fc.record({ kind: fc.constant("channel" as const), id: snowflake, threadId: snowflake }),
);

describe("conversation ids of Discord", () => {
  it("parse what they format, whatever the id, to the last digit", () => {
    fc.assert(fc.property(conversation, (id) => void expect(rules.parse(rules.format(id))).toEqual(id)));
    expect(rules.parse("channel:18446744073709551615")).toEqual({ kind: "channel", id: "18446744073709551615" });
  });

  it("parse nothing else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = rules.parse(text);
        if (id !== undefined) expect(rules.format(id)).toBe(text);
      }),
    );
    const id = "123456789012345678";
    for (const text of [
      "",
      id,
      `user:${id}`,
      "channel:1",
      `channel:0${id}`,
      `dm:${id}:${id}`,
      `channel:${id}:`,
      `channel:${id}:${id}:${id}`,
    ])
      expect(rules.parse(text), text).toBeUndefined();
  });

  it("accept targets as people write them", () => {
    const id = "123456789012345678";
    for (const text of [`channel:${id}`, ` discord:channel:${id} `, `<#${id}>`, `CHANNEL:${id}`])
      expect(rules.normalizeTarget(text), text).toEqual({ ok: true, id: { kind: "channel", id } });
    expect(rules.normalizeTarget(`dm:${id}`)).toEqual({ ok: true, id: { kind: "direct", id } });
    expect(rules.normalizeTarget(`channel:${id}:${id}`)).toEqual({ ok: true, id: { kind: "channel", id, threadId: id } });
  });

  it("say that a number alone may be several things, and how to write each", () => {
    const refused = rules.normalizeTarget("123456789012345678");
    expect(refused).toMatchObject({ ok: false, reason: "ambiguous" });
    expect(!refused.ok && refused.hint).toContain("channel:123456789012345678");
  });

  it("refuse names and people, and what is nothing of Discord", () => {
    for (const text of ["#general", "@ann", "<@123456789012345678>", "user:123456789012345678"])
      expect(rules.normalizeTarget(text), text).toMatchObject({ ok: false, reason: "unsupported" });
    for (const text of ["", "general", "123", "channel:abc"])
      expect(rules.normalizeTarget(text), text).toMatchObject({ ok: false, reason: "malformed" });
  });

  it("read links to a message, of servers and of direct conversations", () => {
    const link = { messageId: "333333333333333333", conversation: { id: "222222222222222222" } };
    const path = "/222222222222222222/333333333333333333";
    for (const text of [
      `https://discord.com/channels/111111111111111111${path}`,
      `https://ptb.discord.com/channels/@me${path}`,
      `<https://discordapp.com/channels/111111111111111111${path}>`,
      `discord://-/channels/111111111111111111${path}`,
    ])
      expect(rules.parseLink?.(text), text).toEqual(link);
    for (const text of [`https://discord.com.evil.example/channels/111111111111111111${path}`, "https://discord.com/channels/1/2/3", "x"])
      expect(rules.parseLink?.(text), text).toBeUndefined();
  });

  it("want an id behind the name of a channel or group, not behind a person's", () => {
    const ref = { channel: "discord", account: "main", id: "123456789012345678" };
    expect(rules.labelNeedsId({ ...ref, kind: "channel" })).toBe(true);
    expect(rules.labelNeedsId({ ...ref, kind: "direct" })).toBe(false);
  });
});
