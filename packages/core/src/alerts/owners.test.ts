import type { ConfigSource, ConversationRules } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { ownersElsewhere } from "./owners.ts";

const rules = {
  normalizeTarget: (target: string) =>
    target === ""
      ? { ok: false, reason: "malformed", hint: "" }
      : { ok: true, id: { kind: target.startsWith("#") ? "group" : "direct", id: target } },
} as ConversationRules;
const channels = new Map(["irc", "web"].map((id) => [id, { conversation: rules }]));
const accounts = { main: {}, second: {} };
const config = { current: () => ({ config: { channels: { irc: { accounts }, web: { accounts } } } }) } as unknown as ConfigSource;

it("prefers another channel, then another account, and never takes the failing one", () => {
  const owners = [
    "irc:main:ann",
    "irc:second:ann",
    "web:main:ann:with:colons",
    "irc:second:#room",
    "irc:gone:ann",
    "mail:main:ann",
    "web:main:",
  ];
  const found = ownersElsewhere(owners, { channel: "irc", account: "main" }, { config, channels });
  expect(found.map(({ channel, account, id }) => `${channel} ${account} ${id}`)).toEqual(["web main ann:with:colons", "irc second ann"]);
});
