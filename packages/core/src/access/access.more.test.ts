import type { AccountConfig } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount, fakeConfig } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage } from "../fake-message.ts";
import { type AccessInput, decideAccess, isListed, isOwner } from "./access.ts";

const channel = createFakeChannel().plugin;
const ACCOUNT = "channels.fake.accounts.main";

function direct(account: Partial<AccountConfig>, sender: string, owners: readonly string[] = []): AccessInput {
  return {
    message: fakeMessage({ sender: { id: sender, isBot: false, isSelf: false } }),
    account: fakeAccount(account),
    channel,
    config: fakeConfig({ owners }),
  };
}

function inGroup(account: Partial<AccountConfig>, sender = "ann", owners: readonly string[] = []): AccessInput {
  return { ...direct(account, sender, owners), message: fakeGroupMessage({ sender: { id: sender, isBot: false, isSelf: false } }) };
}

const OWNER = ["fake:main:boss"];

describe("access of direct messages", () => {
  it.each([
    // policy, allow list, sender, allowed, code, path
    ["allowlist", ["ann"], "ann", true, "listed", "allowFrom"],
    ["allowlist", ["ann"], "eve", false, "not-listed", "allowFrom"],
    ["allowlist", [], "ann", false, "not-listed", "dmPolicy"],
    ["allowlist", ["*"], "eve", false, "not-listed", "allowFrom"],
    ["allowlist", [], "boss", true, "owner", undefined],
    ["pairing", ["ann"], "ann", true, "listed", "allowFrom"],
    ["pairing", ["ann"], "eve", false, "not-listed", "allowFrom"],
    ["pairing", [], "eve", false, "not-listed", "dmPolicy"],
    ["pairing", ["*"], "eve", false, "not-listed", "allowFrom"],
    ["pairing", [], "boss", true, "owner", undefined],
    ["open", ["*"], "eve", true, "open", "dmPolicy"],
    ["open", ["*", "ann"], "ann", true, "listed", "allowFrom"],
    ["open", ["*"], "boss", true, "owner", undefined],
    ["disabled", ["ann"], "ann", false, "dm-disabled", "dmPolicy"],
    ["disabled", ["*"], "eve", false, "dm-disabled", "dmPolicy"],
    ["disabled", ["boss"], "boss", false, "dm-disabled", "dmPolicy"],
  ] as const)("with %s and %j, %s is let in: %s (%s)", (dmPolicy, allowFrom, sender, allowed, code, key) => {
    const verdict = decideAccess(direct({ dmPolicy, allowFrom }, sender, OWNER));
    expect(verdict).toMatchObject({
      allowed,
      decision: { stage: "access", code, path: key === undefined ? "owners" : `${ACCOUNT}.${key}` },
    });
  });

  it("tells what to add for a sender who is not listed", () => {
    expect(decideAccess(direct({}, "eve")).decision.why).toContain('"eve"');
  });

  it("compares ids in the channel's canonical form, on both sides", () => {
    expect(decideAccess(direct({ allowFrom: [" ANN "] }, "ann")).allowed).toBe(true);
    expect(decideAccess(direct({ allowFrom: ["ann"] }, "Ann")).allowed).toBe(true);
    expect(isListed(["ann"], "Ann", {})).toBe(false);
  });

  it("never takes a person who is called * for everybody's entry", () => {
    expect(isListed(["*"], "*", channel)).toBe(false);
  });

  it("does not let a list of another account's owners count", () => {
    expect(decideAccess(direct({}, "boss", ["fake:other:boss", "web:main:boss", "boss"])).allowed).toBe(false);
  });
});

describe("access of groups", () => {
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
    const verdict = decideAccess(inGroup(account, sender, OWNER));
    expect(verdict).toMatchObject({ allowed, decision: { code, path: `${ACCOUNT}.${key}` } });
  });

  it("gives the direct allow list no weight in groups", () => {
    expect(decideAccess(inGroup({ allowFrom: ["ann"], groups: { team: { allowFrom: ["bob"] } } }, "ann")).allowed).toBe(false);
  });

  it.each(["constructor", "toString", "__proto__"])("does not take the group id %s for a listed one", (id) => {
    const input = inGroup({});
    const message = { ...input.message, conversation: { ...input.message.conversation, id } };
    expect(decideAccess({ ...input, message }).decision.code).toBe("group-not-listed");
  });
});

describe("people that the channel signed in", () => {
  const web = createFakeChannel({ capabilities: { authenticates: true } }).plugin;
  const trusted = (trust: "owner" | "authorised"): AccessInput => ({
    ...direct({ allowFrom: [] }, "visitor"),
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
