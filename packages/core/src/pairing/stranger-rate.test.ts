import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { DIRECT, GROUP } from "../fake-message.ts";
import { createStrangerRate, PER_STRANGER, STRANGERS_PER_MINUTE } from "./stranger-rate.ts";

function setUp() {
  const clock = createVirtualClock();
  const rate = createStrangerRate(clock);
  const knock = (sender: string, conversation = DIRECT) =>
    rate.admits({ conversation, sender: { id: sender, isBot: false, isSelf: false } });
  const knocks = (times: number, sender: string, conversation = DIRECT) =>
    Array.from({ length: times }, () => knock(sender, conversation)).filter(Boolean).length;
  return { clock, rate, knock, knocks };
}

describe("the rate of strangers", () => {
  it("takes a few messages of each, and so many of all, within a minute; the rest is counted", async () => {
    const { clock, rate, knock, knocks } = setUp();
    expect(knocks(100, "eve")).toBe(PER_STRANGER);
    expect(knock("mallory"), "another is not kept out by who knocks again and again").toBe(true);
    let taken = PER_STRANGER + 1;
    for (let n = 0; n < 10_000; n += 1) if (knock(`stranger-${n}`)) taken += 1;
    expect(taken).toBe(STRANGERS_PER_MINUTE);
    expect(rate.counted()).toEqual({ "fake:main": 100 + 1 + 10_000 - STRANGERS_PER_MINUTE });
    await clock.advance(60_000);
    expect(knock("eve")).toBe(true);
  });

  it("is kept for each account, and for its groups apart from its direct messages", () => {
    const { knock } = setUp();
    for (let n = 0; n < 1000; n += 1) knock(`member-${n}`, GROUP);
    expect(knock("member-1", GROUP)).toBe(false);
    expect(knock("eve")).toBe(true);
    expect(knock("eve", { ...GROUP, account: "other" })).toBe(true);
  });
});
