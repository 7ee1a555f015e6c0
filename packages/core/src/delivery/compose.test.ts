import { createIds, type OutboundMedia, type ReplyPayload } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { DIRECT } from "../fake-message.ts";
import { plainProfile } from "../markdown/plain.ts";
import { type ComposeInput, composeParts } from "./compose.ts";
import { partKey } from "./part-key.ts";

const file = (name: string): OutboundMedia => ({ kind: "image", path: `/data/media/${name}`, fileName: name, mimeType: "image/png" });

function compose(payload: ReplyPayload, over: Partial<ComposeInput> = {}) {
  const guarded: string[] = [];
  const parts = composeParts({
    path: "final",
    payload,
    media: [],
    profile: { ...plainProfile, limit: 40, captionLimit: 20 },
    rendering: {},
    conversation: DIRECT,
    sendAs: undefined,
    turn: "tn_1",
    seq: 3,
    partsBefore: 0,
    currentMessageId: "p9",
    silentToken: "NO_REPLY",
    ids: createIds(
      () => 0,
      () => 0.5,
    ),
    onGuard: (found) => void guarded.push(...found),
    ...over,
  });
  return { parts, guarded, shown: parts.map((part) => [part.media?.[0]?.fileName, part.text?.text]) };
}

describe("composing a reply", () => {
  it("cuts a long text into parts that fit, each with its own key and id", () => {
    const { parts } = compose({ text: "one two three four five six seven eight nine ten eleven twelve" }, { partsBefore: 2 });
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part.text?.length).toBeLessThanOrEqual(40);
    expect(parts.map((part) => part.key)).toEqual(parts.map((_, index) => partKey("tn_1", 3, 2 + index)));
    expect([...new Set(parts.map((part) => part.id))].sort()).toEqual(parts.map((part) => part.id));
    expect(parts[0]).toMatchObject({ conversation: DIRECT, turn: "tn_1" });
  });

  it("puts a text that fits under the first file, and sends the other files behind it", () => {
    expect(compose({ text: "a caption" }, { media: [file("1.png"), file("2.png")] }).shown).toEqual([
      ["1.png", "a caption"],
      ["2.png", undefined],
    ]);
  });

  it("sends a text that is too long for a caption after the files", () => {
    expect(compose({ text: "much too long for a caption" }, { media: [file("1.png"), file("2.png")] }).shown).toEqual([
      ["1.png", undefined],
      ["2.png", undefined],
      [undefined, "much too long for a caption"],
    ]);
  });

  it("uses no captions where the channel has none", () => {
    expect(compose({ text: "hi" }, { media: [file("1.png")], profile: plainProfile }).shown).toEqual([
      ["1.png", undefined],
      [undefined, "hi"],
    ]);
  });

  it("quotes with the first part only, and hands channel data to it only", () => {
    const text = "one two three four five six seven eight nine ten eleven twelve";
    const { parts } = compose({ text, replyToId: "p5", channelData: { buttons: [] } });
    expect(parts.map((part) => part.replyToId)).toEqual(["p5", ...parts.slice(1).map(() => undefined)]);
    expect(parts.map((part) => part.channelData !== undefined)).toEqual([true, ...parts.slice(1).map(() => false)]);
    expect(compose({ text, replyToCurrent: true }).parts[0]?.replyToId).toBe("p9");
    expect(compose({ text }).parts[0]).not.toHaveProperty("replyToId");
  });

  it("gives no part for what nobody would see", () => {
    expect(compose({ text: "  \n" }).parts).toEqual([]);
    expect(compose({}).parts).toEqual([]);
  });

  it("lets no control text through that an earlier step missed, and says which kind it was", () => {
    const { shown, guarded } = compose({ text: "<think>secret plan</think>visible" });
    expect(shown).toEqual([[undefined, "visible"]]);
    expect(guarded).toEqual(["reasoning"]);
    expect(compose({ text: "NO_REPLY" }).parts).toEqual([]);
    expect(compose({ text: "plain" }).guarded).toEqual([]);
  });
});
