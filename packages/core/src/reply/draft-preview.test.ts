import type { RenderProfile } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel, type FakeChannelOptions } from "../fake-channel.ts";
import { fakeTurn } from "./fake-turn.ts";
import { startDraftPreview } from "./draft-preview.ts";

function setUp(options: FakeChannelOptions = {}) {
  const clock = createVirtualClock();
  const fake = createFakeChannel(options);
  let renders = 0;
  const base = fake.plugin.render({});
  // Every rendering measures its text.
  const profile: RenderProfile = {
    ...base,
    measure: (text) => {
      renders += 1;
      return text.length;
    },
  };
  const preview = startDraftPreview(fakeTurn({ channel: fake.plugin }), profile, fake.transport, clock);
  return { clock, fake, preview, shown: () => fake.previews.map(({ text }) => text?.text), renders: () => renders };
}

describe("the preview of a growing answer", () => {
  it("shows the newest text at most twenty times a second, and is taken away at the end", async () => {
    const { clock, preview, shown } = setUp();
    expect(preview.isShown).toBe(false);
    preview.grow("one");
    expect(preview.isShown).toBe(true);
    preview.grow("one two");
    preview.grow("one two three");
    expect(shown()).toEqual(["one"]);
    await clock.advance(50);
    expect(shown()).toEqual(["one", "one two three"]);
    await clock.advance(1000);
    expect(clock.pending()).toEqual([]);
    preview.close();
    expect(shown()).toEqual(["one", "one two three", undefined]);
    preview.grow("late");
    await clock.advance(1000);
    expect(shown()).toHaveLength(3);
  });

  it("stays as it is when it is frozen, and says what is visible", async () => {
    const { clock, preview, shown } = setUp();
    preview.grow("one");
    preview.grow("one two");
    expect(preview.freeze()).toBe("one");
    preview.grow("one two three");
    await clock.advance(1000);
    expect(shown()).toEqual(["one"]);
    preview.close();
    expect(shown()).toEqual(["one", undefined]);
    expect(setUp().preview.freeze()).toBe("");
    expect(setUp({ capabilities: { preview: "none" } }).preview.freeze()).toBe("");
  });

  it("parses nothing per streamed piece", async () => {
    const { clock, preview, renders } = setUp();
    preview.grow("a");
    const perLook = renders();
    for (let n = 0; n < 5000; n += 1) preview.grow("a".repeat(n % 100));
    expect(renders()).toBe(perLook);
    await clock.advance(50);
    expect(renders()).toBeLessThanOrEqual(2 * perLook);
    preview.close();
    expect(clock.pending()).toEqual([]);
  });

  it("shows nothing that may yet turn out to be silence or a tag", async () => {
    const { clock, preview, shown } = setUp();
    for (const text of ["NO", "NO_", "NO_REPLY"]) {
      preview.grow(text);
      await clock.advance(50);
    }
    expect(preview.isShown).toBe(false);
    preview.close();
    expect(shown()).toEqual([]);
  });

  it("survives a transport that throws", () => {
    const { fake, preview } = setUp();
    Object.assign(fake.transport, {
      preview: () => {
        throw new Error("broken");
      },
    });
    preview.grow("text");
    preview.close();
  });
});
