import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whatsappConversation as rules } from "./conversation.ts";
import { canonicalJid } from "./jid.ts";

const digits = fc.bigInt({ min: 10_000n, max: 10n ** 18n }).map(String);
const conversation = fc.oneof(
  digits.map((user) => ({ kind: "direct" as const, id: `${user}@s.whatsapp.net` })),
  digits.map((user) => ({ kind: "direct" as const, id: `${user}@lid` })),
  digits.map((user) => ({ kind: "group" as const, id: `${user}@g.us` })),
  fc.tuple(digits, digits).map(([maker, made]) => ({ kind: "group" as const, id: `${maker}-${made}@g.us` })),
  digits.map((user) => ({ kind: "channel" as const, id: `${user}@newsletter` })),
);

describe("addresses of WhatsApp", () => {
  it("lose device and agent, and the old name of the server", () => {
    expect(canonicalJid("491701234567:12@s.whatsapp.net")).toBe("491701234567@s.whatsapp.net");
    expect(canonicalJid("491701234567_1:12@s.whatsapp.net")).toBe("491701234567@s.whatsapp.net");
    expect(canonicalJid("123456789012345:3@lid")).toBe("123456789012345@lid");
    expect(canonicalJid(" 491701234567@C.US ")).toBe("491701234567@s.whatsapp.net");
  });

  it("are nothing else: no broadcast, no hyphen outside of groups, no other server", () => {
    for (const text of ["status@broadcast", "49170-1@s.whatsapp.net", "49170@example.com", "@lid", "abc@g.us", "49170@g.us@lid", ""])
      expect(canonicalJid(text), text).toBeUndefined();
  });
});

describe("conversation ids of WhatsApp", () => {
  it("parse what they format, whatever the id", () => {
    fc.assert(fc.property(conversation, (id) => void expect(rules.parse(rules.format(id))).toEqual(id)));
  });

  it("parse nothing else: a device's address is not how a conversation is written", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = rules.parse(text);
        if (id !== undefined) expect(rules.format(id)).toBe(text);
      }),
    );
    for (const text of ["491701234567:1@s.whatsapp.net", "491701234567@c.us", "status@broadcast", "+491701234567"])
      expect(rules.parse(text), text).toBeUndefined();
  });

  it("accept phone numbers and addresses as targets", () => {
    const id = { kind: "direct", id: "491701234567@s.whatsapp.net" };
    for (const text of ["+49 170 1234567", "whatsapp:+49 (170) 123-45.67", "491701234567:4@s.whatsapp.net", "491701234567@c.us"])
      expect(rules.normalizeTarget(text), text).toEqual({ ok: true, id });
    expect(rules.normalizeTarget("120363041234567890@g.us")).toEqual({ ok: true, id: { kind: "group", id: "120363041234567890@g.us" } });
  });

  it("say that digits alone may be several things, and how to write each", () => {
    const refused = rules.normalizeTarget("491701234567");
    expect(refused).toMatchObject({ ok: false, reason: "ambiguous" });
    expect(!refused.ok && refused.hint).toContain("+491701234567");
  });

  it("refuse names, links and broadcasts, and numbers that cannot be any", () => {
    for (const text of ["@ann", "status@broadcast", "https://wa.me/491701234567", "chat.whatsapp.com/AbC"])
      expect(rules.normalizeTarget(text), text).toMatchObject({ ok: false, reason: "unsupported" });
    for (const text of ["", "the family", "+49", "+1234567890123456"])
      expect(rules.normalizeTarget(text), text).toMatchObject({ ok: false, reason: "malformed" });
  });

  it("want an id behind the subject of a group, not behind a person's name", () => {
    const ref = { channel: "whatsapp", account: "main" };
    expect(rules.labelNeedsId({ ...ref, kind: "group", id: "120363041234567890@g.us" })).toBe(true);
    expect(rules.labelNeedsId({ ...ref, kind: "direct", id: "491701234567@s.whatsapp.net" })).toBe(false);
  });
});
