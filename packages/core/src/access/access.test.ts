import type { AccountConfig, ChannelPlugin, ConversationRef } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount, fakeConfig } from "../fake-config.ts";
import { DIRECT, fakeMessage, GROUP } from "../fake-message.ts";
import { type AccessInput, decideAccess, isListed, isOwner } from "./access.ts";
import { authorityOf } from "./authorise.ts";

const channel = createFakeChannel().plugin;
const ACCOUNT = "channels.fake.accounts.main";
const OWNER = ["fake:main:boss"];

interface World {
  readonly owners?: readonly string[];
  readonly approved?: boolean;
  readonly conversation?: ConversationRef;
  readonly channel?: ChannelPlugin;
}

/** A message of `sender`'s, directly but for what is given. */
function from(
  sender: string,
  account: Partial<AccountConfig> = {},
  { owners = OWNER, approved = false, ...world }: World = {},
): AccessInput {
  const { conversation = DIRECT } = world;
  return {
    message: fakeMessage({ conversation, sender: { id: sender, isBot: false, isSelf: false } }),
    account: fakeAccount(account),
    channel: world.channel ?? channel,
    config: fakeConfig({ owners }),
    approved,
  };
}

function inGroup(sender: string, account: Partial<AccountConfig>, world: World = {}): AccessInput {
  return from(sender, account, { conversation: GROUP, ...world });
}

describe("who may write in direct messages", () => {
  it.each([
    // policy, allow list, sender, allowed, code, path
    ["allowlist", ["ann"], "ann", true, "listed", "allowFrom"],
    ["allowlist", ["ann"], "eve", false, "not-listed", "allowFrom"],
    ["allowlist", [], "ann", false, "not-listed", "dmPolicy"],
    ["allowlist", ["*"], "eve", false, "not-listed", "allowFrom"],
    ["allowlist", [], "boss", true, "owner", undefined],
    ["pairing", ["ann"], "ann", true, "listed", "allowFrom"],
    ["pairing", ["ann"], "eve", false, "unknown-sender", "dmPolicy"],
    ["pairing", [], "eve", false, "unknown-sender", "dmPolicy"],
    ["pairing", ["*"], "eve", false, "unknown-sender", "dmPolicy"],
    ["pairing", [], "boss", true, "owner", undefined],
    ["open", ["*"], "eve", true, "open", "dmPolicy"],
    ["open", ["*", "ann"], "ann", true, "listed", "allowFrom"],
    ["open", ["*"], "boss", true, "owner", undefined],
    ["disabled", ["ann"], "ann", false, "dm-disabled", "dmPolicy"],
    ["disabled", ["*"], "eve", false, "dm-disabled", "dmPolicy"],
    ["disabled", ["boss"], "boss", false, "dm-disabled", "dmPolicy"],
  ] as const)("with %s and %j, %s is let in: %s (%s)", (dmPolicy, allowFrom, sender, allowed, code, key) => {
    expect(decideAccess(from(sender, { dmPolicy, allowFrom }))).toMatchObject({
      allowed,
      decision: { stage: "access", code, path: key === undefined ? "owners" : `${ACCOUNT}.${key}` },
    });
  });

  it.each([
    // policy, allowed, code
    ["pairing", true, "paired"],
    ["allowlist", false, "not-listed"],
    ["open", true, "open"],
    ["disabled", false, "dm-disabled"],
  ] as const)("with %s, an approved sender is let in: %s (%s)", (dmPolicy, allowed, code) => {
    const verdict = decideAccess(from("eve", { dmPolicy, allowFrom: [] }, { approved: true }));
    expect(verdict).toMatchObject({ allowed, decision: { code, path: `${ACCOUNT}.dmPolicy` } });
  });

  it("only a stranger on an account that pairs may ask to be let in", () => {
    const pairing = { dmPolicy: "pairing", allowFrom: ["ann"] } as const;
    expect(decideAccess(from("eve", pairing)).mayPair).toBe(true);
    expect(decideAccess(from("ann", pairing)).mayPair).toBeUndefined();
    expect(decideAccess(from("eve", pairing, { approved: true })).mayPair).toBeUndefined();
    expect(decideAccess(from("eve", { dmPolicy: "allowlist" })).mayPair).toBeUndefined();
    expect(decideAccess(inGroup("eve", pairing)).mayPair).toBeUndefined();
  });

  it("tells what to add for a sender who is not listed", () => {
    expect(decideAccess(from("eve")).decision.why).toContain('"eve"');
  });

  it("compares ids in the channel's canonical form, on both sides", () => {
    expect(decideAccess(from("ann", { allowFrom: [" ANN "] })).allowed).toBe(true);
    expect(decideAccess(from("Ann", { allowFrom: ["ann"] })).allowed).toBe(true);
    expect(isListed(["ann"], "Ann", {})).toBe(false);
  });

  it.each(["15550001@s.whatsapp.net", "15550001:7@s.whatsapp.net", "15550001", "+15550001"])(
    "the listed number +15550001 is %s, also for commands",
    (sender) => {
      const normalizeId = (id: string) => id.replace(/^\+/, "").replace(/(:\d+)?@s\.whatsapp\.net$/, "");
      const phone = createFakeChannel({ plugin: { access: { normalizeId } } }).plugin;
      const input = from(sender, { allowFrom: ["+15550001"] }, { channel: phone });
      expect(decideAccess(input).allowed).toBe(true);
      expect(authorityOf(input).authority).toBe("authorised");
    },
  );

  it("looks at ids only: neither a name nor a user name nor a phone that spells a listed id lets anybody in", () => {
    for (const allowFrom of [["ann"], ["ann", "*"]]) {
      const input = from("eve", { allowFrom }, { owners: ["fake:main:boss"] });
      const sender = { id: "eve", name: "boss", username: "ann", phone: "ann", isBot: false, isSelf: false };
      const spoofed = { ...input, message: { ...input.message, sender } };
      expect(decideAccess(spoofed).decision.code).toBe("not-listed");
      expect(authorityOf(spoofed).authority).toBe("none");
    }
  });

  it("judges who forwards a message, not whose words they are", () => {
    const input = from("eve", { allowFrom: ["ann"] }, { owners: ["fake:main:ann"] });
    expect(decideAccess({ ...input, message: { ...input.message, forwarded: { from: "ann" } } }).allowed).toBe(false);
  });

  it("never takes a person who is called * for everybody's entry", () => {
    expect(isListed(["*"], "*", channel)).toBe(false);
  });

  it("does not let a list of another account's owners count", () => {
    const owners = ["fake:other:boss", "web:main:boss", "boss"];
    expect(decideAccess(from("boss", {}, { owners })).allowed).toBe(false);
    expect(decideAccess(from("boss", { dmPolicy: "pairing" }, { owners })).decision.code).toBe("unknown-sender");
  });
});

describe("who may write in groups", () => {
  const listed = { groups: { team: {} } };
  it.each([
    // account, sender, allowed, code, path
    [{}, "ann", false, "group-not-listed", "groupPolicy"],
    [{ groups: { other: {} } }, "ann", false, "group-not-listed", "groups"],
    [{ groups: { other: {} } }, "boss", false, "group-not-listed", "groups"],
    [listed, "eve", true, "group-listed", "groups.team"],
    [{ groups: { "*": {} } }, "eve", true, "group-listed", "groups.*"],
    [{ groupPolicy: "open" }, "eve", true, "open", "groupPolicy"],
    [{ groupPolicy: "disabled", ...listed }, "boss", false, "groups-disabled", "groupPolicy"],
    [{ groups: { team: { allowFrom: ["ann"] } } }, "ann", true, "group-listed", "groups.team"],
    [{ groups: { team: { allowFrom: ["ann"] } } }, "eve", false, "sender-not-listed", "groups.team.allowFrom"],
    [{ groups: { team: { allowFrom: ["ann"] } } }, "boss", true, "group-listed", "groups.team"],
    [{ groups: { team: { allowFrom: [] } } }, "ann", false, "sender-not-listed", "groups.team.allowFrom"],
    [{ groups: { team: { allowFrom: ["*"] } } }, "eve", true, "group-listed", "groups.team"],
    [{ groupPolicy: "open", groups: { team: { allowFrom: ["ann"] } } }, "eve", false, "sender-not-listed", "groups.team.allowFrom"],
    [{ groups: { "*": { allowFrom: [] }, team: {} } }, "eve", true, "group-listed", "groups.team"],
  ] as const)("with %j, %s is let in: %s (%s)", (account, sender, allowed, code, key) => {
    expect(decideAccess(inGroup(sender, account))).toMatchObject({ allowed, decision: { code, path: `${ACCOUNT}.${key}` } });
  });

  it("gives the direct allow list no weight there", () => {
    expect(decideAccess(inGroup("ann", { allowFrom: ["ann"] })).decision.code).toBe("group-not-listed");
    expect(decideAccess(inGroup("ann", { allowFrom: ["ann"], groups: { team: { allowFrom: ["bob"] } } })).allowed).toBe(false);
  });

  it("gives approval in direct messages no weight there", () => {
    const pairing = { dmPolicy: "pairing", groups: { team: { allowFrom: ["bob"] } } } as const;
    expect(decideAccess(inGroup("eve", pairing, { approved: true })).allowed).toBe(false);
  });

  it.each(["constructor", "toString", "__proto__"])("does not take the group id %s for a listed one", (id) => {
    const conversation = { ...GROUP, id };
    expect(decideAccess(inGroup("ann", {}, { conversation })).decision.code).toBe("group-not-listed");
    expect(decideAccess(inGroup("ann", { groups: { [id]: {} } as never }, { conversation: GROUP })).decision.code).toBe("group-not-listed");
  });

  it("a topic takes the list of its group unless it has its own", () => {
    const topic = { conversation: { ...GROUP, threadId: "7" } };
    const closed = { team: { allowFrom: ["bob"] }, "team:7": { requireMention: false } };
    expect(decideAccess(inGroup("ann", { groups: closed }, topic)).decision).toMatchObject({
      code: "sender-not-listed",
      path: `${ACCOUNT}.groups.team.allowFrom`,
    });
    const open = { ...closed, "team:7": { allowFrom: ["ann"] } };
    expect(decideAccess(inGroup("ann", { groups: open }, topic)).allowed).toBe(true);
    const topicAlone = { groups: { "team:7": {} } };
    expect(decideAccess(inGroup("ann", topicAlone, topic)).allowed).toBe(true);
    expect(decideAccess(inGroup("ann", topicAlone)).allowed).toBe(false);
  });
});

describe("people that the channel signed in", () => {
  const web = createFakeChannel({ capabilities: { authenticates: true } }).plugin;
  const trusted = (trust: "owner" | "authorised"): AccessInput => ({
    ...from("visitor", { allowFrom: [] }),
    message: fakeMessage({ sender: { id: "visitor", isBot: false, isSelf: false, trust } }),
  });

  it("are let in where the channel authenticates", () => {
    expect(decideAccess({ ...trusted("authorised"), channel: web })).toMatchObject({ allowed: true, decision: { code: "authenticated" } });
    expect(isOwner({ ...trusted("owner"), channel: web })).toBe(true);
    expect(isOwner({ ...trusted("authorised"), channel: web })).toBe(false);
  });

  it("are strangers where it does not, whatever their message says", () => {
    expect(decideAccess(trusted("owner")).allowed).toBe(false);
    expect(isOwner(trusted("owner"))).toBe(false);
  });
});
