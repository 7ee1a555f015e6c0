import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { DIRECT } from "../fake-message.ts";
import { startTyping } from "./typing.ts";

describe("typing", () => {
  it("shows at once, again before it would expire, and no more when the lease ends", async () => {
    const clock = createVirtualClock();
    const fake = createFakeChannel();
    const stop = startTyping(fake.transport, DIRECT, clock);
    expect(fake.typings()).toBe(1);
    await clock.advance(8000);
    expect(fake.typings()).toBe(3);
    stop();
    stop();
    await clock.advance(60_000);
    expect(fake.typings()).toBe(3);
    expect(clock.pending()).toEqual([]);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("broken"))],
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
  ])("does not mind a platform that %s", async (_, typing) => {
    const clock = createVirtualClock();
    const stop = startTyping({ ...createFakeChannel().transport, typing }, DIRECT, clock);
    await clock.advance(8000);
    stop();
  });

  it("is nothing where the channel cannot, or no account is up", () => {
    const clock = createVirtualClock();
    const { typing: _, ...mute } = createFakeChannel().transport;
    startTyping(mute, DIRECT, clock)();
    startTyping(undefined, DIRECT, clock)();
    expect(clock.pending()).toEqual([]);
  });
});
