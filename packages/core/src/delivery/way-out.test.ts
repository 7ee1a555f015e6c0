import { describe, expect, it } from "vitest";
import { fakeAccount } from "../fake-config.ts";
import { createFakeChannel } from "../fake-channel.ts";
import { DIRECT } from "../fake-message.ts";
import type { Line } from "./line.ts";
import { wayOut } from "./way-out.ts";

/** Accounts by name: who each is by the configuration, and who its connection is, if it is up. */
type Accounts = Readonly<Record<string, { readonly is?: string; readonly connectedAs?: string }>>;

function out(sendAs: string | undefined, accounts: Accounts) {
  const { transport, plugin } = createFakeChannel();
  const lineOf = (_channel: string, account: string): Line | undefined => {
    const identity = accounts[account]?.connectedAs;
    return identity === undefined
      ? undefined
      : { account, identity, transport, capabilities: plugin.capabilities, onAmbiguous: "resend" as const };
  };
  const configured = Object.entries(accounts).filter(([, { is }]) => is !== undefined);
  const config = {
    channels: { fake: { accounts: Object.fromEntries(configured.map(([name, { is }]) => [name, fakeAccount({ own: { is } })])) } },
  };
  const channels = new Map([["fake", { identity: (own: unknown) => (own as { is?: string }).is }]]);
  const way = wayOut({ conversation: DIRECT, ...(sendAs === undefined ? {} : { sendAs }) }, { config, channels, lineOf });
  return way.way === "open" ? `open by ${way.line.account}` : way.way === "down" ? `down: ${way.account}` : way.way;
}

describe("the way out of an answer", () => {
  it.each<[string, string | undefined, Accounts, string]>([
    ["is its account, while that is who got the message", "x", { main: { is: "x", connectedAs: "x" } }, "open by main"],
    ["is its account, whoever that is, when nobody was written to", undefined, { main: { is: "y", connectedAs: "y" } }, "open by main"],
    ["waits while its account is down", "x", { main: { is: "x" } }, "down: main"],
    [
      "is the account that this bot was moved to",
      "x",
      { main: { is: "y", connectedAs: "y" }, other: { is: "x", connectedAs: "x" } },
      "open by other",
    ],
    [
      "waits for that account while it is still somebody else",
      "x",
      { main: { is: "y", connectedAs: "y" }, other: { is: "x", connectedAs: "y" } },
      "down: other",
    ],
    ["is the old connection for as long as that is there", "x", { main: { is: "y", connectedAs: "x" } }, "open by main"],
    ["waits while its account connects anew", "x", { main: { is: "x", connectedAs: "y" } }, "down: main"],
    ["is nowhere when no account is this bot", "x", { main: { is: "y", connectedAs: "y" }, other: { is: "z", connectedAs: "z" } }, "gone"],
    ["waits for an account that was taken out of the configuration", "x", { other: { is: "z", connectedAs: "z" } }, "down: main"],
    ["is the connection of such an account until it ends", "x", { main: { connectedAs: "x" } }, "open by main"],
  ])("%s", (_name, sendAs, accounts, expected) => {
    expect(out(sendAs, accounts)).toBe(expected);
  });
});
