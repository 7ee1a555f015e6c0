import type { MessageEntity, OutboundPart } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { DIRECT } from "../fake-message.ts";
import { PART_KEY_LENGTH } from "./part-key.ts";
import { splitPart } from "./split-part.ts";

const partWith = (text: string, over: Partial<OutboundPart> = {}): OutboundPart => ({
  id: "ob_1",
  key: "k".repeat(PART_KEY_LENGTH),
  conversation: DIRECT,
  turn: "tn_1",
  text: { text, plain: text, length: text.length },
  ...over,
});

const textsOf = (part: OutboundPart) => splitPart(part)?.map(({ text }) => text?.text);

describe("a part that is too long", () => {
  it("becomes two with keys of their own that are the same every time, in its place", () => {
    const whole = partWith("one two ".repeat(100));
    const [first, second] = splitPart(whole)!;
    expect([first.id, second.id]).toEqual(["ob_1.1", "ob_1.2"]);
    expect(new Set([whole.key, first.key, second.key]).size).toBe(3);
    expect([first.key, second.key].map((key) => key.length)).toEqual([PART_KEY_LENGTH, PART_KEY_LENGTH]);
    expect(splitPart(whole)).toEqual([first, second]);
    expect(["ob_1", "ob_1.1", "ob_1.1.2", "ob_1.2", "ob_2"]).toEqual(["ob_1", "ob_1.1", "ob_1.1.2", "ob_1.2", "ob_2"].sort());
  });

  it("is cut between paragraphs, else lines, else sentences, else words, near the middle", () => {
    const words = "word ".repeat(40).trim();
    expect(textsOf(partWith(`${words}. A b\nc\n\n${words}`))).toEqual([`${words}. A b\nc`, words]);
    expect(textsOf(partWith(`${words}\n${words}`))).toEqual([words, words]);
    expect(textsOf(partWith(`${words}. ${words}`))).toEqual([`${words}.`, words]);
    expect(textsOf(partWith("a".repeat(150) + " " + "b".repeat(150)))).toEqual(["a".repeat(150), "b".repeat(150)]);
  });

  it("loses nothing and cuts no character in two where there is no separator", () => {
    for (const unit of ["漢", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301"]) {
      const text = unit.repeat(301);
      const [first = "", second = ""] = textsOf(partWith(text)) as string[];
      expect(first + second).toBe(text);
      expect(first.length % unit.length, unit).toBe(0);
    }
  });

  it("keeps its formatting on both sides of the cut", () => {
    const text = `${"a".repeat(150)} ${"b".repeat(150)}`;
    const entities: MessageEntity[] = [
      { type: "bold", offset: 0, length: 10 },
      { type: "italic", offset: 100, length: 101 },
      { type: "code", offset: 290, length: 11 },
    ];
    const [first, second] = splitPart(partWith(text, { text: { text, plain: text, entities, length: text.length } }))!;
    expect(first.text?.entities).toEqual([entities[0], { type: "italic", offset: 100, length: 50 }]);
    expect(second.text?.entities).toEqual([
      { type: "italic", offset: 0, length: 50 },
      { type: "code", offset: 139, length: 11 },
    ]);
  });

  it("with markup inside its text goes on plain: markup cannot be cut", () => {
    const plain = `${"a".repeat(150)} ${"b".repeat(150)}`;
    expect(textsOf(partWith("", { text: { text: `*${plain}*`, plain, length: 303 } }))).toEqual(["a".repeat(150), "b".repeat(150)]);
  });

  it("with a file becomes the file and its words", () => {
    const media = [{ kind: "image" as const, path: "/x", fileName: "x.png", mimeType: "image/png" }];
    const [first, second] = splitPart(partWith("short", { media }))!;
    expect([first.media, first.text]).toEqual([media, undefined]);
    expect([second.media, second.text?.text]).toEqual([undefined, "short"]);
  });

  it("quotes, and replaces a message, with its first half alone", () => {
    const [first, second] = splitPart(partWith("one two ".repeat(100), { replyToId: "5", replaces: "ob_0" }))!;
    expect([first.replyToId, first.replaces]).toEqual(["5", "ob_0"]);
    expect([second.replyToId, second.replaces]).toEqual([undefined, undefined]);
  });

  it("is not cut for ever", () => {
    expect(splitPart(partWith("a".repeat(199)))).toBeUndefined();
    expect(splitPart({ id: "ob_1", key: "k", conversation: DIRECT })).toBeUndefined();
    let parts = [partWith("word ".repeat(2000))];
    for (let round = 0; round < 20; round += 1) parts = parts.flatMap((part) => splitPart(part) ?? [part]);
    expect(parts.length).toBeLessThan(200);
    expect(parts.map(({ text }) => text?.text.trim()).join(" ")).toBe("word ".repeat(2000).trim());
    expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length);
  });
});
