import type { AccountConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount, fakeConfig } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage } from "../fake-message.ts";
import { authorityOf, decideCommand } from "./authorise.ts";

const channel = createFakeChannel().plugin;
const web = createFakeChannel({ capabilities: { authenticates: true } }).plugin;

function authority(
  message: InboundMessage,
  account: Partial<AccountConfig> = {},
  lists: { owners?: readonly string[]; allowFrom?: readonly string[] } = {},
  { of = channel, approved = false } = {},
) {
  const config = fakeConfig({ owners: lists.owners ?? [], commands: { allowFrom: lists.allowFrom ?? [] } });
  return authorityOf({ message, account: fakeAccount(account), channel: of, config, approved });
}

describe("command authority", () => {
  it("is denied by default, also to people who may talk", () => {
    expect(authority(fakeMessage(), { dmPolicy: "open", allowFrom: ["*"] }).authority).toBe("none");
    expect(authority(fakeGroupMessage(), { groups: { team: {} } }).authority).toBe("none");
    expect(authority(fakeGroupMessage(), { groupPolicy: "open" }).authority).toBe("none");
  });

  it("is given to listed people in direct conversations", () => {
    expect(authority(fakeMessage())).toEqual({ authority: "authorised", path: "channels.fake.accounts.main.allowFrom" });
  });

  it("is given in a group only to people on the group's own list; the direct list gives none", () => {
    expect(authority(fakeGroupMessage(), { groups: { team: {} } }).authority).toBe("none");
    expect(authority(fakeGroupMessage(), { groups: { team: { allowFrom: ["ann"] } } })).toEqual({
      authority: "authorised",
      path: "channels.fake.accounts.main.groups.team.allowFrom",
    });
    expect(authority(fakeGroupMessage(), { groups: { team: { allowFrom: ["*"] } } }).authority).toBe("none");
  });

  it("is given to owners and to commands.allowFrom everywhere", () => {
    expect(authority(fakeGroupMessage(), {}, { owners: ["fake:main:ANN"] })).toEqual({ authority: "owner", path: "owners" });
    expect(authority(fakeGroupMessage(), {}, { allowFrom: ["fake:main:ann"] })).toEqual({
      authority: "authorised",
      path: "commands.allowFrom",
    });
    expect(authority(fakeMessage(), { allowFrom: [] }, { allowFrom: ["fake:main:*"] }).authority).toBe("none");
    expect(authority(fakeGroupMessage(), {}, { allowFrom: ["fake:other:ann"] }).authority).toBe("none");
  });

  it("is given to approved people, in direct conversations and while the account pairs", () => {
    const approved = { approved: true };
    const pairs = { dmPolicy: "pairing", allowFrom: [], groups: { team: {} } } as const;
    expect(authority(fakeMessage(), pairs, {}, approved)).toEqual({
      authority: "authorised",
      path: "channels.fake.accounts.main.dmPolicy",
    });
    expect(authority(fakeMessage(), pairs).authority).toBe("none");
    expect(authority(fakeMessage(), { dmPolicy: "open", allowFrom: ["*"] }, {}, approved).authority).toBe("none");
    expect(authority(fakeGroupMessage(), pairs, {}, approved).authority).toBe("none");
  });

  it("of an owner is needed for an owner's command, and of an authorised person for others", () => {
    const may = (who: "owner" | "authorised" | "none", access: "owner" | "authorised") =>
      decideCommand({ name: "x", access }, { authority: who, path: "owners" }).allowed;
    expect([may("owner", "owner"), may("owner", "authorised"), may("authorised", "authorised")]).toEqual([true, true, true]);
    expect([may("authorised", "owner"), may("none", "authorised"), may("none", "owner")]).toEqual([false, false, false]);
  });

  it("follows what an authenticating channel says of its people, and no other channel", () => {
    const signedIn = (trust: "owner" | "authorised") => fakeMessage({ sender: { id: "v", isBot: false, isSelf: false, trust } });
    expect(authority(signedIn("owner"), {}, {}, { of: web }).authority).toBe("owner");
    expect(authority(signedIn("authorised"), {}, {}, { of: web }).authority).toBe("authorised");
    expect(authority(signedIn("owner")).authority).toBe("none");
    expect(authority(signedIn("authorised")).authority).toBe("none");
  });
});
