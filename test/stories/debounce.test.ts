import type { InboundMessage } from "@trunkline/plugin-sdk";
import { createScriptedModel } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { telegramFragments } from "../../packages/channel-telegram/src/intake/fragments.ts";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeConfig } from "../../packages/core/src/fake-config.ts";
import { GROUP } from "../../packages/core/src/fake-message.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const promptsOf = (rig: SpineRig): readonly string[] =>
  rig.model.requests.map(({ messages }) => messages.findLast(({ role }) => role === "user")!.text);
const slow = (mode: "collect" | "followup" = "collect") =>
  fakeConfig({ account: { debounceMs: 2000 }, messages: { queue: { mode, cap: 20 } } });

describe("a person who says it in several messages", () => {
  it.each(["collect", "followup"] as const)("gets one answer, once there is silence, in mode %s", async (mode) => {
    const rig = await spineRig({ config: slow(mode) });
    const first = await rig.hears({ text: "hello" });
    await rig.clock.advance(1500);
    const second = await rig.hears({ text: "are you there?" });
    await rig.clock.advance(1999);
    expect(rig.model.requests).toEqual([]);
    expect((await rig.pipeline.counts()).messages.open).toBe(2);
    await rig.clock.advance(1);
    await rig.rests();
    expect(promptsOf(rig)).toEqual(['"Ann" says:\nhello\n\n"Ann" says:\nare you there?']);
    expect((await rig.explain(second.id)).disposition).toBe("merged");
    expect((await rig.explain(first.id)).decisions).toContainEqual(
      expect.objectContaining({ stage: "queue", code: "debounce", path: "channels.fake.accounts.main.debounceMs" }),
    );
  });

  it("is not waited for behind a command or a file", async () => {
    const rig = await spineRig({ config: slow() });
    await rig.hears({ text: "/whoami" });
    await rig.rests();
    await rig.hears({ text: "look", media: [{ kind: "image", url: "channel:x" }] });
    await rig.rests();
    expect(rig.fake.texts()).toHaveLength(2);
    await rig.hears({ text: "what is this?" });
    await rig.hears({ text: "", media: [{ kind: "image", url: "channel:y" }] });
    await rig.rests();
    expect(promptsOf(rig)).toHaveLength(2);
  });

  it("is not forgotten in a crash", async () => {
    const folder = tempFolder();
    const rig = await spineRig({ config: slow(), folder });
    await rig.hears({ text: "hello" });
    await rig.hears({ text: "are you there?" });
    await rig.stop();
    const again = await spineRig({ config: slow(), folder, clock: rig.clock, fake: rig.fake, seed: 2 });
    await again.clock.advance(2000);
    await again.rests();
    expect(promptsOf(again)).toEqual(['"Ann" says:\nhello\n\n"Ann" says:\nare you there?']);
  });

  it("ends it with /stop: nothing of it is answered later", async () => {
    const rig = await spineRig({ config: slow() });
    const { id } = await rig.hears({ text: "also do this" });
    await rig.hears({ text: "/stop" });
    await rig.rests();
    await rig.clock.advance(10_000);
    expect(rig.model.requests).toEqual([]);
    expect((await rig.explain(id)).disposition).toBe("aborted");
    expect(rig.fake.texts()).toEqual(["Stopped."]);
  });
});

describe("a message that came in pieces", () => {
  const pieces = (mode: "collect" | "followup" = "followup") =>
    spineRig({
      config: fakeConfig({ account: { groups: { team: {} } }, messages: { queue: { mode, cap: 20 } } }),
      fake: createFakeChannel({ plugin: { fragments: telegramFragments } }),
      model: createScriptedModel(),
    });
  const photo = (id: string, text = ""): Partial<InboundMessage> => ({
    id,
    text,
    media: [{ kind: "image", url: `channel:${id}`, fileName: `${id}.jpg` }],
    channelData: { album: "g" },
  });

  it("as a long paste is one message for the agent", async () => {
    const rig = await pieces();
    const [start, middle] = ["a".repeat(4096), "b".repeat(4000)];
    await rig.hears({ id: "10", text: start });
    await rig.hears({ id: "11", text: middle });
    await rig.hears({ id: "12", text: "the end" });
    await rig.clock.advance(1);
    await rig.rests();
    expect(promptsOf(rig)).toEqual([`${start}${middle}\nthe end`]);
    expect((await rig.pipeline.counts()).messages.dispositions).toEqual({ replied: 1, merged: 2 });
  });

  it("as an album is one message with several files, and what is said behind it is another one", async () => {
    const rig = await pieces();
    await rig.pipeline.receive(
      [photo("1", "compare these"), photo("2"), { id: "3", text: "thanks" }].map((over) => ({
        kind: "message",
        id: "",
        conversation: { channel: "fake", account: "main", kind: "direct", id: "ann" },
        sender: { id: "ann", name: "Ann", isBot: false, isSelf: false },
        text: "",
        media: [],
        mentions: { bot: false, others: [] },
        sentAt: rig.clock.now(),
        ...over,
      })),
    );
    await rig.rests();
    expect(promptsOf(rig)).toHaveLength(2);
    expect(promptsOf(rig)[0]).toMatch(/^compare these\n.*1\.jpg.*\n.*2\.jpg/);
    expect(promptsOf(rig)[1]).toBe("thanks");
  });

  it("of which only the first names the bot is heard as a whole in a group", async () => {
    const rig = await pieces();
    await rig.hears({
      ...photo("1", "compare these"),
      conversation: GROUP,
      sender: { id: "ann", name: "Ann", isBot: false, isSelf: false },
      mentions: { bot: true, others: [] },
    });
    const second = await rig.hears({ ...photo("2"), conversation: GROUP });
    await rig.clock.advance(1000);
    await rig.rests();
    expect(promptsOf(rig)[0]).toMatch(/2\.jpg/);
    expect((await rig.explain(second.id)).decisions).toContainEqual(expect.objectContaining({ stage: "gate", code: "piece" }));
  });
});
