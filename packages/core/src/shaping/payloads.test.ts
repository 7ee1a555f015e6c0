import { describe, expect, it } from "vitest";
import {
  formatOutboundPayloadLog,
  isRenderablePayload,
  mergeMediaUrls,
  normalizeOutboundPayloads,
  normalizeOutboundPayloadsForJson,
  normalizeReplyPayloadsForDelivery,
} from "./payloads.ts";

const a = "https://e.org/a.png";
const b = "https://e.org/b.png";
const plain = { replyToTag: false, replyToCurrent: false, audioAsVoice: false };

describe("payloads for delivery", () => {
  it.each([
    ["plain text", [{ text: "hi" }], [{ ...plain, text: "hi" }]],
    ["a silent reply is dropped", [{ text: "NO_REPLY" }], []],
    ["an empty reply is dropped", [{ text: "" }, {}, { text: " \n" }], []],
    ["reasoning is dropped", [{ text: "hm", isReasoning: true }, { text: "hi" }], [{ ...plain, text: "hi" }]],
    ["a media line becomes a medium", [{ text: `see\nMEDIA: ${a}` }], [{ ...plain, text: "see", mediaUrls: [a], mediaUrl: a }]],
    [
      "media of all sources in order",
      [{ text: `MEDIA: /c.png`, mediaUrls: [b], mediaUrl: a }],
      [{ ...plain, text: "", mediaUrls: [b, a, "/c.png"] }],
    ],
    ["several media clear mediaUrl", [{ mediaUrl: a, mediaUrls: [a, b] }], [{ ...plain, text: "", mediaUrls: [a, b] }]],
    ["repeats are removed", [{ mediaUrls: [a, ` ${a} `, ""] }], [{ ...plain, text: "", mediaUrls: [a], mediaUrl: a }]],
    ["silence with media sends the media", [{ text: "NO_REPLY", mediaUrl: a }], [{ ...plain, text: "", mediaUrl: a, mediaUrls: [a] }]],
    [
      "silence with channel data sends the data",
      [{ text: "NO_REPLY", channelData: { web: { card: 1 } } }],
      [{ ...plain, text: "", channelData: { web: { card: 1 } } }],
    ],
    [
      "a voice flag",
      [{ text: "[[audio_as_voice]]\nMEDIA: /a.ogg" }],
      [{ ...plain, text: "", mediaUrls: ["/a.ogg"], mediaUrl: "/a.ogg", audioAsVoice: true }],
    ],
    ["a reply tag", [{ text: "[[reply_to:12]] ok" }], [{ ...plain, text: "ok", replyToId: "12", replyToTag: true }]],
    [
      "a tag wins over a given target",
      [{ text: "[[reply_to:12]] ok", replyToId: "3" }],
      [{ ...plain, text: "ok", replyToId: "12", replyToTag: true }],
    ],
  ])("%s", (_name, payloads, expected) => {
    const delivered = normalizeReplyPayloadsForDelivery(payloads);
    expect(delivered).toEqual(expected);
    expect(normalizeReplyPayloadsForDelivery(delivered)).toEqual(delivered);
  });

  it("quote the current message on request", () => {
    const [payload] = normalizeReplyPayloadsForDelivery([{ text: "[[reply_to_current]] ok" }], { currentMessageId: "7" });
    expect(payload).toEqual({ ...plain, text: "ok", replyToId: "7", replyToTag: true, replyToCurrent: true });
  });
});

describe("payloads for sending", () => {
  it("have a text and a list of media, and are never empty", () => {
    const payloads = [
      { text: "1" },
      { text: "NO_REPLY" },
      { text: "2", mediaUrl: a },
      { channelData: {} },
      { text: "3", channelData: { x: 1 } },
    ];
    expect(normalizeOutboundPayloads(payloads)).toEqual([
      { text: "1", mediaUrls: [] },
      { text: "2", mediaUrls: [a] },
      { text: "3", mediaUrls: [], channelData: { x: 1 } },
    ]);
  });

  it("as JSON name the medium only when there is one", () => {
    expect(normalizeOutboundPayloadsForJson([{ text: "hi" }, { mediaUrl: a }, { mediaUrls: [a, b] }])).toEqual([
      { text: "hi", mediaUrl: null },
      { text: "", mediaUrl: a, mediaUrls: [a] },
      { text: "", mediaUrl: null, mediaUrls: [a, b] },
    ]);
  });
});

describe("the log form of a payload", () => {
  it("is the text and one line per medium", () => {
    expect(formatOutboundPayloadLog({ text: "hi  \n", mediaUrls: ["/a.png", "/b.png"] })).toBe("hi\nMEDIA:/a.png\nMEDIA:/b.png");
    expect(formatOutboundPayloadLog({ mediaUrls: ["/a.png"] })).toBe("MEDIA:/a.png");
    expect(formatOutboundPayloadLog({})).toBe("");
  });

  it("shows control characters, so that a reply cannot forge a line or drive a terminal", () => {
    expect(formatOutboundPayloadLog({ text: "a\u001b[2J\nMEDIA:/etc\u202e" })).toBe("a\\u001b[2J\\nMEDIA:/etc\\u202e");
  });

  it("has a bounded length and splits no character", () => {
    const log = formatOutboundPayloadLog({ text: "x" + "😀".repeat(5000) });
    expect(log.length).toBeLessThan(2100);
    expect(log).not.toMatch(/\p{Surrogate}/u);
    expect(log).toContain("10001 characters");
  });
});

it("merges media lists trimmed, unique and in order", () => {
  expect(mergeMediaUrls([b, " "], undefined, a, [` ${b}`, undefined])).toEqual([b, a]);
});

it("renders what has text, media or channel data", () => {
  expect([{ text: "x" }, { mediaUrl: a }, { mediaUrls: [a] }, { channelData: {} }].map(isRenderablePayload)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([{}, { text: " " }, { mediaUrls: [] }, { mediaUrls: [" "] }].map(isRenderablePayload)).toEqual([false, false, false, false]);
});
