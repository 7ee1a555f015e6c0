import type { AccountConfig, ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { decideAccess } from "./access.ts";
import { authorityOf, decideCommand } from "./authorise.ts";

const ACCOUNT: AccountConfig = {
  enabled: true,
  dmPolicy: "pairing",
  groupPolicy: "allowlist",
  allowFrom: [],
  groups: {},
  onAmbiguous: "resend",
  own: {},
};

/** A channel whose ids have a device suffix and two ways of writing a phone number. */
const PHONE: Pick<ChannelPlugin, "access" | "capabilities"> = {
  capabilities: {} as ChannelPlugin["capabilities"],
  access: { normalizeId: (id) => id.replace(/^\+/, "").replace(/(:\d+)?@s\.whatsapp\.net$/, "") },
};

function message(senderId: string, conversation: Partial<InboundMessage["conversation"]> = {}): InboundMessage {
  return {
    kind: "message",
    id: "1",
    conversation: { channel: "phone", account: "main", kind: "direct", id: "chat", ...conversation },
    sender: { id: senderId, isBot: false, isSelf: false },
    text: "hello",
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: 0,
  };
}

interface World {
  readonly account?: Partial<AccountConfig>;
  readonly owners?: readonly string[];
  readonly commands?: readonly string[];
  readonly approved?: boolean;
}

function input(sender: InboundMessage, { account = {}, owners = [], commands = [], approved = false }: World) {
  return {
    message: sender,
    account: { ...ACCOUNT, ...account },
    channel: PHONE,
    config: { owners, commands: { allowFrom: commands } },
    approved,
  };
}

describe("who may write in direct messages", () => {
  it.each<[string, World, string, string]>([
    ["nobody is listed", {}, "1555", "unknown-sender"],
    ["an empty list of an allow list", { account: { dmPolicy: "allowlist" } }, "1555", "not-listed"],
    ["a listed sender", { account: { dmPolicy: "allowlist", allowFrom: ["1555"] } }, "1555", "listed"],
    ["another sender", { account: { dmPolicy: "allowlist", allowFrom: ["1555"] } }, "1556", "not-listed"],
    ["a star on an allow list is no id", { account: { dmPolicy: "allowlist", allowFrom: ["*"] } }, "1555", "not-listed"],
    ["a star on an account that pairs is no id", { account: { allowFrom: ["*"] } }, "1555", "unknown-sender"],
    ["an account that pairs has a list as well", { account: { allowFrom: ["1555"] } }, "1555", "listed"],
    ["an approved sender", { approved: true }, "1555", "paired"],
    ["an approved sender, and the account no longer pairs", { account: { dmPolicy: "allowlist" }, approved: true }, "1555", "not-listed"],
    ["anybody, where it is open", { account: { dmPolicy: "open", allowFrom: ["*"] } }, "1555", "open"],
    ["an owner, where nobody is listed", { owners: ["phone:main:1555"] }, "1555", "owner"],
    ["the owner of another account", { owners: ["phone:second:1555"] }, "1555", "unknown-sender"],
    ["an owner, where direct messages are off", { account: { dmPolicy: "disabled" }, owners: ["phone:main:1555"] }, "1555", "dm-disabled"],
  ])("%s", (_what, world, sender, code) => {
    expect(decideAccess(input(message(sender), world)).decision.code).toBe(code);
  });

  it("only a stranger on an account that pairs may ask", () => {
    expect(decideAccess(input(message("1"), {})).mayPair).toBe(true);
    expect(decideAccess(input(message("1"), { account: { dmPolicy: "allowlist" } })).mayPair).toBeUndefined();
    expect(decideAccess(input(message("1", { kind: "group" }), {})).mayPair).toBeUndefined();
  });

  it.each(["15550001@s.whatsapp.net", "15550001:7@s.whatsapp.net", "15550001", "+15550001"])(
    "the listed number +15550001 is %s",
    (sender) => {
      const world = { account: { dmPolicy: "allowlist", allowFrom: ["+15550001"] } } as const;
      expect(decideAccess(input(message(sender), world)).allowed).toBe(true);
      expect(authorityOf(input(message(sender), world)).authority).toBe("authorised");
    },
  );
});

describe("who may write in groups", () => {
  const group = { kind: "group", id: "g1" } as const;
  it.each<[string, World["account"], string]>([
    ["a group that is not listed", {}, "group-not-listed"],
    ["a listed group", { groups: { g1: {} } }, "group-listed"],
    ["any group by a star", { groups: { "*": {} } }, "group-listed"],
    ["any group by the policy", { groupPolicy: "open" }, "open"],
    ["groups are off", { groupPolicy: "disabled", groups: { g1: {} } }, "groups-disabled"],
    ["an empty list of the group", { groups: { g1: { allowFrom: [] } } }, "sender-not-listed"],
    ["a list without the sender", { groups: { g1: { allowFrom: ["2"] } } }, "sender-not-listed"],
    ["a list with the sender", { groups: { g1: { allowFrom: ["1"] } } }, "group-listed"],
    ["everybody of the group", { groups: { g1: { allowFrom: ["*"] } } }, "group-listed"],
    ["the list of the star is not that of a listed group", { groups: { "*": { allowFrom: [] }, g1: {} } }, "group-listed"],
    ["the account's own list is for direct messages", { allowFrom: ["1"] }, "group-not-listed"],
    ["a list under an open policy still counts", { groupPolicy: "open", groups: { g1: { allowFrom: ["2"] } } }, "sender-not-listed"],
    ["a name that every object has", { groups: { constructor: {} } as never, groupPolicy: "allowlist" }, "group-not-listed"],
  ])("%s", (_what, account = {}, code) => {
    expect(decideAccess(input(message("1", group), { account })).decision.code).toBe(code);
  });

  it("approval in direct messages counts for nothing there", () => {
    const world = { account: { groups: { g1: {} } }, approved: true };
    expect(authorityOf(input(message("1", group), world)).authority).toBe("none");
    expect(decideAccess(input(message("1", group), { ...world, account: { groups: { g1: { allowFrom: ["2"] } } } })).allowed).toBe(false);
  });

  it("a topic takes the list of its group unless it has its own", () => {
    const topic = { ...group, threadId: "7" };
    const closed = { g1: { allowFrom: ["2"] }, "g1:7": { requireMention: false } };
    const verdict = decideAccess(input(message("1", topic), { account: { groups: closed } }));
    expect(verdict.decision).toMatchObject({ code: "sender-not-listed", path: "channels.phone.accounts.main.groups.g1.allowFrom" });
    const open = { ...closed, "g1:7": { allowFrom: ["1"] } };
    expect(decideAccess(input(message("1", topic), { account: { groups: open } })).allowed).toBe(true);
    const topicAlone = { account: { groups: { "g1:7": {} } } };
    expect(decideAccess(input(message("1", topic), topicAlone)).allowed).toBe(true);
    expect(decideAccess(input(message("1", group), topicAlone)).allowed).toBe(false);
  });
});

describe("who may use commands", () => {
  const group = { kind: "group", id: "g1" } as const;
  it.each<[string, World, Partial<InboundMessage["conversation"]>, string]>([
    ["nobody by default", { account: { dmPolicy: "open", allowFrom: ["*"] } }, {}, "none"],
    ["listed people", { account: { allowFrom: ["1"] } }, {}, "authorised"],
    ["approved people", { approved: true }, {}, "authorised"],
    [
      "people who were approved before the account stopped pairing",
      { account: { dmPolicy: "open", allowFrom: ["*"] }, approved: true },
      {},
      "none",
    ],
    ["the account's list does not count in groups", { account: { allowFrom: ["1"], groups: { g1: {} } } }, group, "none"],
    ["the group's own list does", { account: { groups: { g1: { allowFrom: ["1"] } } } }, group, "authorised"],
    ["a star lets people talk, not command", { account: { groups: { g1: { allowFrom: ["*"] } } } }, group, "none"],
    ["commands.allowFrom", { commands: ["phone:main:1"] }, group, "authorised"],
    ["commands.allowFrom of another account", { commands: ["phone:second:1"] }, group, "none"],
    ["an owner", { owners: ["phone:main:1"] }, group, "owner"],
  ])("%s", (_what, world, conversation, authority) => {
    expect(authorityOf(input(message("1", conversation), world)).authority).toBe(authority);
  });

  it("an owner's command is for owners alone", () => {
    const may = (authority: "owner" | "authorised" | "none", access: "owner" | "authorised") =>
      decideCommand({ name: "x", access }, { authority, path: "owners" }).allowed;
    expect([may("owner", "owner"), may("owner", "authorised"), may("authorised", "authorised")]).toEqual([true, true, true]);
    expect([may("authorised", "owner"), may("none", "authorised"), may("none", "owner")]).toEqual([false, false, false]);
  });
});
