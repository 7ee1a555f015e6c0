import type { InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { telegramFragments } from "./fragments.ts";

const message = (id: string, over: Partial<InboundMessage> = {}): InboundMessage =>
  ({ kind: "message", id, text: "", media: [], ...over }) as unknown as InboundMessage;
const text = (id: string, length: number): InboundMessage => message(id, { text: "x".repeat(length) });
const photo = (id: string, album?: string): InboundMessage =>
  message(id, { media: [{ kind: "image", url: "channel:x" }], channelData: album === undefined ? {} : { album } });

describe("the pieces of a long paste", () => {
  it("follow each other by their ids, behind a piece that is nearly full", () => {
    expect(telegramFragments.follows(text("10", 4096), text("11", 20))).toBe(true);
    expect(telegramFragments.follows(text("10", 4001), text("12", 4096))).toBe(true);
    expect(telegramFragments.follows(text("10", 3000), text("11", 20))).toBe(false);
    expect(telegramFragments.follows(text("10", 4096), text("14", 20))).toBe(false);
    expect(telegramFragments.follows(text("10", 4096), text("9", 20))).toBe(false);
  });

  it("are not waited for behind a short text, a photo or what somebody forwarded", () => {
    expect(telegramFragments.moreWithinMs(text("10", 100))).toBe(0);
    expect(telegramFragments.moreWithinMs(photo("10"))).toBe(0);
    expect(telegramFragments.moreWithinMs({ ...text("10", 4096), forwarded: {} })).toBe(0);
    expect(telegramFragments.moreWithinMs(text("10", 4096))).toBeGreaterThan(0);
  });

  it("are put together as they were cut", () => {
    expect(telegramFragments.between(text("10", 4096))).toBe("");
    expect(telegramFragments.between(text("10", 4000))).toBe("\n");
  });
});

describe("an album", () => {
  it("is what has its id, and is waited for", () => {
    expect(telegramFragments.follows(photo("1", "a"), photo("2", "a"))).toBe(true);
    expect(telegramFragments.follows(photo("1", "a"), photo("2", "b"))).toBe(false);
    expect(telegramFragments.follows(photo("1", "a"), text("2", 5))).toBe(false);
    expect(telegramFragments.moreWithinMs(photo("1", "a"))).toBeGreaterThan(0);
  });
});
