import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationKey, decodeKeyPart, encodeKeyPart } from "./conversation.ts";

const part = fc.oneof(fc.string(), fc.constantFrom(":", "%", "%3A", "%25", "%253A", "a:b%c", "%%3A:"));

describe("parts of keys", () => {
  it("come back as they were, and hold no colon", () => {
    fc.assert(
      fc.property(part, (text) => {
        expect(decodeKeyPart(encodeKeyPart(text))).toBe(text);
        expect(encodeKeyPart(text)).not.toContain(":");
      }),
    );
  });

  it("stay readable: nothing but : and % is encoded", () => {
    expect(encodeKeyPart("a/b c@d#é:50%")).toBe("a/b c@d#é%3A50%25");
  });
});

describe("the key of a conversation", () => {
  it("names channel, account, chat and thread", () => {
    const ref = { channel: "fake", account: "main", kind: "group" as const, id: "-100" };
    expect(conversationKey(ref)).toBe("fake:main:-100:");
    expect(conversationKey({ ...ref, threadId: "7", space: "ignored" })).toBe("fake:main:-100:7");
  });

  it("is another one for every other conversation", () => {
    const ref = fc.record({
      channel: part,
      account: part,
      kind: fc.constant("group" as const),
      id: part,
      threadId: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(ref, ref, (one, other) => {
        expect(conversationKey(one) === conversationKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});
