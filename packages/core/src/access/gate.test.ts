import type { AccountConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { fakeAccount } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage, GROUP } from "../fake-message.ts";
import { type Activation, decideGate } from "./gate.ts";

const LISTED = { groups: { team: {} } };

interface World {
  readonly agentName?: string;
  readonly activation?: Activation;
}

function gate(message: InboundMessage, account: Partial<AccountConfig> = LISTED, { agentName = "Aria", activation }: World = {}) {
  const { open, decision } = decideGate({ message, account: fakeAccount(account), agentName, activation });
  return { open, code: decision.code, path: decision.path };
}

const says = (text: string): InboundMessage => fakeGroupMessage({ text });
const PATH = "channels.fake.accounts.main.groups.team.requireMention";

describe("group gate", () => {
  it("lets every direct message through", () => {
    expect(gate(fakeMessage())).toEqual({ open: true, code: "direct", path: undefined });
  });

  it("keeps quiet in a group when nobody mentioned the bot", () => {
    expect(gate(says("hello all"))).toEqual({ open: false, code: "not-mentioned", path: PATH });
  });

  it("opens for a mention by the platform, also beside others", () => {
    expect(gate(fakeGroupMessage({ mentions: { bot: true, others: [] } }))).toEqual({ open: true, code: "mentioned", path: PATH });
    expect(gate(fakeGroupMessage({ mentions: { bot: true, others: ["bob"] } })).open).toBe(true);
  });

  it("opens for a reply to the bot, not for one to somebody else", () => {
    expect(gate(fakeGroupMessage({ anchor: { kind: "reply", senderIsSelf: true } })).code).toBe("reply-to-bot");
    expect(gate(fakeGroupMessage({ anchor: { kind: "reply", senderIsSelf: false } })).open).toBe(false);
  });

  it("can be switched off for one group, or for any by *", () => {
    expect(gate(says("hi"), { groups: { team: { requireMention: false } } })).toEqual({
      open: true,
      code: "mention-not-required",
      path: PATH,
    });
    expect(gate(says("hi"), { groups: { "*": { requireMention: false } } }).open).toBe(true);
    expect(gate(says("hi"), { groups: { "*": { requireMention: false }, team: {} } }).open).toBe(false);
    expect(gate(says("hi"), { groupPolicy: "open" })).toMatchObject({ open: false, path: "channels.fake.accounts.main.groupPolicy" });
  });

  it.each([
    ["a group's own rule", GROUP, true, "team.requireMention"],
    ["its topic's rule over it", { ...GROUP, threadId: "7" }, false, "team:7.requireMention"],
    ["another topic follows its group", { ...GROUP, threadId: "8" }, true, "team.requireMention"],
    ["any other group", { ...GROUP, id: "other" }, false, "*.requireMention"],
    ["a mention, unless it is said otherwise", { ...GROUP, id: "plain" }, false, "plain.requireMention"],
  ] as const)("follows the nearest rule: %s", (_what, conversation, open, path) => {
    const groups = { "*": { requireMention: true }, team: { requireMention: false }, "team:7": { requireMention: true }, plain: {} };
    const verdict = gate(fakeGroupMessage({ conversation }), { groups });
    expect(verdict).toMatchObject({ open, path: `channels.fake.accounts.main.groups.${path}` });
  });

  it("follows what /activation chose over the configuration, both ways, and names it", () => {
    const open = { groups: { team: { requireMention: false } } };
    expect(gate(says("hello all"), LISTED, { activation: "always" })).toEqual({ open: true, code: "activation-always", path: undefined });
    expect(gate(says("hello all"), open, { activation: "mention" })).toEqual({ open: false, code: "not-mentioned", path: undefined });
    const input = { message: says("hello all"), account: fakeAccount(open), agentName: "Aria", activation: "mention" } as const;
    expect(decideGate(input).decision.why).toContain("/activation mention");
    expect(gate(says("aria?"), open, { activation: "mention" }).open).toBe(true);
  });

  it.each([
    ["Aria, are you there?", "Aria"],
    ["hey ARIA", "Aria"],
    ["(aria)", "Aria"],
    ["(ARIA)", "Aria"],
    ["Ариа, привет", "Ариа"],
    ["спроси ариа!", "Ариа"],
    ["小助手，你好", "小助手"],
    ["小助手你好", "小助手"],
    ["请问小助手", "小助手"],
    ["Ariaさん、おはよう", "Aria"],
    ["สวัสดีอาเรียครับ", "อาเรีย"],
    ["يا آريا كيف الحال", "آريا"],
    ["Éva?", "Éva"],
    ["ask C-3PO", "C-3PO"],
  ])("hears its name in %j", (text, name) => {
    expect(gate(says(text), undefined, { agentName: name }).code).toBe("mentioned-by-name");
  });

  it.each([
    ["malaria is bad", "Aria"],
    ["Ariadne and malaria", "Aria"],
    ["Ariadne called", "Aria"],
    ["aria_test", "Aria"],
    ["aria2 is a program", "Aria"],
    ["ариадна", "Ариа"],
    ["nothing", "Aria"],
    ["anything at all", "  "],
    ["𝓐aria", "Aria"],
  ])("does not hear its name in %j", (text, name) => {
    expect(gate(says(text), undefined, { agentName: name }).open).toBe(false);
  });

  it("takes configured patterns instead of the name, and says where they stand", () => {
    const account = { groups: { team: {} }, mentionPatterns: ["hey bot", "computer"] };
    expect(gate(says("Hey Bot, help"), account)).toEqual({
      open: true,
      code: "mentioned-by-name",
      path: "channels.fake.accounts.main.mentionPatterns",
    });
    expect(gate(says("computers are fine"), account).open).toBe(false);
    expect(gate(says("Aria?"), account).open).toBe(false);
    expect(gate(says("Aria?"), { groups: { team: {} }, mentionPatterns: [] }).open).toBe(false);
  });

  it("takes a pattern for plain words, never for a rule", () => {
    expect(gate(says("abc"), { groups: { team: {} }, mentionPatterns: [".*"] }).open).toBe(false);
  });

  it("ignores its name when the message mentions somebody else", () => {
    expect(gate(fakeGroupMessage({ text: "Aria is a nice name, @bob", mentions: { bot: false, others: ["bob"] } })).open).toBe(false);
  });
});
