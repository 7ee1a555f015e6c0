import { type InboundMessage, type Transport } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount } from "../fake-config.ts";
import { fakeMessage, GROUP } from "../fake-message.ts";
import { fakeTurn } from "./fake-turn.ts";
import { startTyping } from "./typing.ts";

const OPEN = { admits: () => true };

function typingFor(over: Partial<InboundMessage> = {}, transport?: Transport | null, rates = OPEN) {
  const clock = createVirtualClock();
  const fake = createFakeChannel();
  const turn = fakeTurn({ message: fakeMessage(over), account: fakeAccount({ groups: { "*": { requireMention: false } } }) });
  const typing = startTyping(turn, transport === null ? undefined : (transport ?? fake.transport), { clock, rates });
  return { clock, fake, typing };
}

describe("typing", () => {
  it("shows at once in a direct chat, again before it would expire, and no more when the lease ends", async () => {
    const { clock, fake, typing } = typingFor();
    expect(fake.typings()).toBe(1);
    await clock.advance(8000);
    expect(fake.typings()).toBe(3);
    typing.end();
    typing.end();
    typing.grow("late");
    await clock.advance(60_000);
    expect(fake.typings()).toBe(3);
    expect(clock.pending()).toEqual([]);
  });

  it.each<[string, Partial<InboundMessage>]>([
    ["is mentioned", { mentions: { bot: true, others: [] } }],
    ["is replied to", { anchor: { kind: "reply", senderIsSelf: true } }],
    ["is called by name", { text: "Aria, are you there?" }],
  ])("shows at once in a group where the bot %s", (_, over) => {
    expect(typingFor({ conversation: GROUP, ...over }).fake.typings()).toBe(1);
  });

  it("waits in a group where nobody meant the bot until something of the answer is visible", async () => {
    const { clock, fake, typing } = typingFor({ conversation: GROUP, text: "good morning all" });
    for (const text of ["", "<think>hm", "<think>hm</think>NO_"]) {
      typing.grow(text);
      await clock.advance(5000);
    }
    expect(fake.typings()).toBe(0);
    typing.grow("<think>hm</think>NO_ONE is here");
    expect(fake.typings()).toBe(1);
    await clock.advance(4000);
    expect(fake.typings()).toBe(2);
    typing.end();
    expect(clock.pending()).toEqual([]);
  });

  it("is never shown in a group for a turn that stays silent", async () => {
    const { clock, fake, typing } = typingFor({ conversation: GROUP, text: "good morning all" });
    for (const text of ["N", "NO", "NO_REPLY"]) {
      typing.grow(text);
      await clock.advance(1000);
    }
    typing.end();
    expect(fake.typings()).toBe(0);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("broken"))],
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
  ])("does not mind a platform that %s", async (_, broken) => {
    const { clock, typing } = typingFor({}, { ...createFakeChannel().transport, typing: broken });
    await clock.advance(8000);
    typing.end();
  });

  it("is nothing where the channel cannot, or no account is up", () => {
    const { typing: _, ...mute } = createFakeChannel().transport;
    for (const transport of [mute, null]) {
      const { clock, typing } = typingFor({}, transport);
      typing.grow("text");
      expect(clock.pending()).toEqual([]);
      typing.end();
    }
  });

  it("is not shown while answers wait for the platform", async () => {
    const open = { now: false };
    const { clock, fake, typing } = typingFor({}, undefined, { admits: () => open.now });
    await clock.advance(4000);
    expect(fake.typings()).toBe(0);
    open.now = true;
    await clock.advance(4000);
    expect(fake.typings()).toBe(1);
    typing.end();
  });
});
