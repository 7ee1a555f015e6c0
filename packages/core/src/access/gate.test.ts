import type { AccountConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { type Activation, decideGate } from "./gate.ts";

function account(change: Partial<AccountConfig> = {}): AccountConfig {
  return { enabled: true, dmPolicy: "disabled", groupPolicy: "open", allowFrom: [], groups: {}, onAmbiguous: "resend", own: {}, ...change };
}

function said(text: string, change: Partial<InboundMessage> = {}): InboundMessage {
  return {
    kind: "message",
    id: "1",
    conversation: { channel: "irc", account: "main", kind: "group", id: "g1" },
    sender: { id: "1", isBot: false, isSelf: false },
    text,
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: 0,
    ...change,
  };
}

function gate(message: InboundMessage, change: Partial<AccountConfig> = {}, activation?: Activation) {
  return decideGate({ message, account: account(change), agentName: "Aria", activation });
}

const G1 = { channel: "irc", account: "main", kind: "group", id: "g1" } as const;

describe("the bot is meant", () => {
  it.each<[string, InboundMessage, string]>([
    ["in a direct message", said("hi", { conversation: { ...G1, kind: "direct" } }), "direct"],
    ["when the platform says so", said("hi", { mentions: { bot: true, others: ["2"] } }), "mentioned"],
    ["by a reply to it", said("why?", { anchor: { kind: "reply", senderIsSelf: true } }), "reply-to-bot"],
    ["by its name", said("Aria, are you there?"), "mentioned-by-name"],
    ["by its name in another case, in brackets", said("(ARIA)"), "mentioned-by-name"],
    ["not by a longer word", said("Ariadne and malaria"), "not-mentioned"],
    ["not by its name to somebody else", said("aria is nice", { mentions: { bot: false, others: ["2"] } }), "not-mentioned"],
    ["not by a reply to somebody else", said("why?", { anchor: { kind: "reply", senderIsSelf: false } }), "not-mentioned"],
    ["not by nothing", said("hello everyone"), "not-mentioned"],
  ])("%s", (_what, message, code) => {
    expect(gate(message).decision.code).toBe(code);
  });
});

describe("whether a mention is needed", () => {
  const groups = { "*": { requireMention: true }, g1: { requireMention: false }, "g1:7": { requireMention: true }, g3: {} };
  it.each<[string, InboundMessage["conversation"], boolean, string]>([
    ["a group's own rule", G1, true, "groups.g1.requireMention"],
    ["its topic's rule over it", { ...G1, threadId: "7" }, false, "groups.g1:7.requireMention"],
    ["another topic follows its group", { ...G1, threadId: "8" }, true, "groups.g1.requireMention"],
    ["any other group", { ...G1, id: "g2" }, false, "groups.*.requireMention"],
    ["yes, unless it is said", { ...G1, id: "g3" }, false, "groups.g3.requireMention"],
  ])("%s", (_what, conversation, open, path) => {
    const verdict = gate(said("hello everyone", { conversation }), { groups });
    expect(verdict.open).toBe(open);
    expect(verdict.decision.path).toBe(`channels.irc.accounts.main.${path}`);
  });

  it("what /activation chose beats the configuration, both ways, and the decision names it", () => {
    const open = { groups: { g1: { requireMention: false } } };
    const always = gate(said("hello everyone"), {}, "always");
    expect([always.open, always.decision.code, always.decision.path]).toEqual([true, "activation-always", undefined]);
    const mention = gate(said("hello everyone"), open, "mention");
    expect([mention.open, mention.decision.path]).toEqual([false, undefined]);
    expect(mention.decision.why).toContain("/activation mention");
    expect(gate(said("aria?"), open, "mention").open).toBe(true);
  });
});
