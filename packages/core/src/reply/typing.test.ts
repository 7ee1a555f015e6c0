import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { DIRECT } from "../fake-message.ts";
import { startTyping } from "./typing.ts";

const OPEN = { admits: () => true };

describe("typing", () => {
  it("shows at once, again before it would expire, and no more when the lease ends", async () => {
    const clock = createVirtualClock();
    const fake = createFakeChannel();
    const stop = startTyping(fake.transport, DIRECT, { clock, rates: OPEN });
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
    const stop = startTyping({ ...createFakeChannel().transport, typing }, DIRECT, { clock, rates: OPEN });
    await clock.advance(8000);
    stop();
  });

  it("is nothing where the channel cannot, or no account is up", () => {
    const clock = createVirtualClock();
    const { typing: _, ...mute } = createFakeChannel().transport;
    startTyping(mute, DIRECT, { clock, rates: OPEN })();
    startTyping(undefined, DIRECT, { clock, rates: OPEN })();
    expect(clock.pending()).toEqual([]);
  });

  it("is not shown while answers wait for the platform", async () => {
    const clock = createVirtualClock();
    const fake = createFakeChannel();
    const open = { now: false };
    const stop = startTyping(fake.transport, DIRECT, { clock, rates: { admits: () => open.now } });
    await clock.advance(4000);
    expect(fake.typings()).toBe(0);
    open.now = true;
    await clock.advance(4000);
    expect(fake.typings()).toBe(1);
    stop();
  });
});
