import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { fakeGroupMessage, fakeMessage } from "../fake-message.ts";
import { createRefusalLimit } from "./refusals.ts";

describe("telling that somebody may not use commands", () => {
  it("happens once an hour per sender and conversation", async () => {
    const clock = createVirtualClock();
    const limit = createRefusalLimit(clock);
    expect([limit.mayTell(fakeMessage()), limit.mayTell(fakeMessage())]).toEqual([true, false]);
    expect(limit.mayTell(fakeGroupMessage())).toBe(true);
    expect(limit.mayTell(fakeMessage({ sender: { id: "bob", isBot: false, isSelf: false } }))).toBe(true);
    await clock.advance(3_599_999);
    expect(limit.mayTell(fakeMessage())).toBe(false);
    await clock.advance(1);
    expect(limit.mayTell(fakeMessage())).toBe(true);
  });

  it("takes a bounded memory", () => {
    const limit = createRefusalLimit(createVirtualClock());
    const tells = (n: number) => limit.mayTell(fakeMessage({ sender: { id: `s${n}`, isBot: false, isSelf: false } }));
    for (let n = 0; n <= 10_000; n += 1) tells(n);
    expect([tells(10_000), tells(0)]).toEqual([false, true]);
  });
});
