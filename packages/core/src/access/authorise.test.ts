import type { AccountConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount, fakeConfig } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage } from "../fake-message.ts";
import { authorityOf } from "./authorise.ts";

const channel = createFakeChannel().plugin;
const web = createFakeChannel({ capabilities: { authenticates: true } }).plugin;

function authority(
  message: InboundMessage,
  account: Partial<AccountConfig> = {},
  lists: { owners?: readonly string[]; allowFrom?: readonly string[] } = {},
  of = channel,
) {
  const config = fakeConfig({ owners: lists.owners ?? [], commands: { allowFrom: lists.allowFrom ?? [] } });
  return authorityOf({ message, account: fakeAccount(account), channel: of, config });
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
  });

  it("follows what an authenticating channel says of its people, and no other channel", () => {
    const signedIn = (trust: "owner" | "authorised") => fakeMessage({ sender: { id: "v", isBot: false, isSelf: false, trust } });
    expect(authority(signedIn("owner"), {}, {}, web).authority).toBe("owner");
    expect(authority(signedIn("authorised"), {}, {}, web).authority).toBe("authorised");
    expect(authority(signedIn("owner")).authority).toBe("none");
    expect(authority(signedIn("authorised")).authority).toBe("none");
  });
});
